import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import type { Inbound } from '#domain/inbound.ts';
import { textsIn } from '#domain/texts.ts';
import { accept } from '#flow/accept.ts';
import { decidedView } from '#flow/cards.ts';
import {
  ChannelError,
  type ClickOutcome,
  type Webhook,
  type WebhookAnswer,
  type WebhookRequest,
} from '#ports/channel.ts';
import type { FrontPorts } from '#ports/engine.ts';

export interface WebhookPorts extends FrontPorts {
  readonly webhooks: Readonly<Record<string, Webhook>>;
}

const LARGEST_BYTES = 1024 * 1024;

/** Platforms in, jobs out. It makes no platform call, and what a client sent is never answered with a 5xx. */
export const createWebhookHandler =
  (build: () => Promise<WebhookPorts>) =>
  async (event: APIGatewayProxyEventV2): Promise<APIGatewayProxyStructuredResultV2> =>
    httpResult(
      event.rawPath === '/healthz'
        ? { status: 200, body: { ok: true } }
        : await serve(await build(), requestOf(event)),
    );

const serve = async (ports: WebhookPorts, request: WebhookRequest): Promise<WebhookAnswer> => {
  const webhook = webhookAt(ports, request.path);
  if (!webhook) return { status: 404, body: {} };
  if (request.body.byteLength > LARGEST_BYTES) return { status: 413, body: {} };
  try {
    const received = await receive(ports, webhook, request);
    if (received.kind === 'answered') return received.answer;
    const outcomes: (ClickOutcome | undefined)[] = [];
    for (const inbound of received.inbound) outcomes.push(await outcomeOf(ports, inbound));
    return webhook.answer(outcomes);
  } catch (error) {
    // Ours, not theirs: the platform delivers again, or the person clicks again.
    ports.log.error('webhook-failed', { channel: webhook.name, why: String(error) });
    return { status: 503, body: {} };
  }
};

/** `/webhook/dingtalk/…` is dingtalk's; what follows is the channel's own business. */
const webhookAt = ({ webhooks }: WebhookPorts, path: string): Webhook | undefined => {
  const name = /^\/webhook\/([^/]+)/.exec(path)?.[1] ?? '';
  return Object.hasOwn(webhooks, name) ? webhooks[name] : undefined;
};

/** Bytes that make a channel stumble are a client's doing, unless it says that it could not be reached itself. */
const receive = async (
  ports: WebhookPorts,
  webhook: Webhook,
  request: WebhookRequest,
): ReturnType<Webhook['receive']> => {
  try {
    return await webhook.receive(request, ports.clock.now());
  } catch (error) {
    if (error instanceof ChannelError && error.retryable) throw error;
    ports.log.warn('webhook-unreadable', { channel: webhook.name, why: String(error) });
    return { kind: 'answered', answer: { status: 400, body: {} } };
  }
};

/** A click is answered on the spot; whatever else there is to tell goes through the queue. */
const outcomeOf = async (
  ports: WebhookPorts,
  inbound: Inbound,
): Promise<ClickOutcome | undefined> => {
  const accepted = await accept(ports, inbound);
  if (inbound.type !== 'decision') return undefined;
  const { language } = ports.settings.agent;
  const texts = textsIn(language);
  if (accepted.kind === 'claimed') {
    const view = decidedView(inbound.session, accepted.ask, language);
    return { kind: 'claimed', view, text: texts.taken(inbound.kind) };
  }
  if (accepted.kind === 'repeated')
    return { kind: 'claimed', view: undefined, text: texts.taken(accepted.decision) };
  if (accepted.kind === 'refused')
    return { kind: 'refused', text: texts.refusal(accepted.refusal) };
  return undefined;
};

/** Signatures are over bytes, so the body stays bytes. */
const requestOf = (event: APIGatewayProxyEventV2): WebhookRequest => ({
  path: event.rawPath,
  headers: Object.fromEntries(
    Object.entries(event.headers).map(([name, value]) => [name.toLowerCase(), value]),
  ),
  body: Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8'),
});

const httpResult = ({ status, body }: WebhookAnswer): APIGatewayProxyStructuredResultV2 => ({
  statusCode: status,
  headers: { 'content-type': 'application/json; charset=utf-8' },
  body: JSON.stringify(body),
});
