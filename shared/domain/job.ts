import type { Command } from './command.ts';
import { digest } from './digest.ts';
import {
  type AskId,
  type JobName,
  jobName,
  type MessageId,
  type SessionId,
  type TurnId,
} from './ids.ts';
import type { InboundMessage } from './inbound.ts';
import type { Address } from './session.ts';

/** What travels through the queue. Work on a turn is one lane per session; commands and notices have their own. */
export type Job = TurnJob | ControlJob;

export type TurnJob =
  | {
      readonly type: 'message';
      readonly session: SessionId;
      readonly message: InboundMessage;
      /** The webhook did not find the bot's own id: the agent asks the platform and writes it down. */
      readonly introduce?: true;
    }
  | {
      readonly type: 'resume';
      readonly session: SessionId;
      readonly ask: AskId;
      readonly turn: TurnId;
    }
  | {
      readonly type: 'next';
      readonly session: SessionId;
      readonly message: MessageId;
      readonly turn: TurnId;
      readonly after: JobName;
    }
  | {
      readonly type: 'more';
      readonly session: SessionId;
      readonly turn: TurnId;
      readonly after: JobName;
      readonly part: number;
    };

export type ControlJob =
  | {
      readonly type: 'command';
      readonly session: SessionId;
      readonly command: Command;
      readonly message: InboundMessage;
    }
  | {
      readonly type: 'notice';
      readonly session: SessionId;
      readonly to: Address;
      readonly text: string;
      readonly key: string;
    };

export const nameOf = (job: TurnJob): JobName => {
  switch (job.type) {
    case 'message':
      return jobName.message(job.message.id);
    case 'resume':
      return jobName.resume(job.ask);
    case 'next':
      return jobName.next(job.message, job.after);
    case 'more':
      return jobName.more(job.turn, job.part);
    default:
      return job satisfies never;
  }
};

export interface Envelope {
  readonly group: string;
  readonly deduplication: string;
  readonly body: string;
}

/** `name` names the sender's intent: within five minutes SQS silently drops a repeat of it, and nothing else. */
export const envelope = (job: Job, name: string): Envelope => {
  const control = job.type === 'command' || job.type === 'notice';
  return {
    group: `${digest([job.session]).slice(0, 40)}${control ? '-control' : ''}`,
    deduplication: digest([job.session, name]),
    body: JSON.stringify(job),
  };
};
