/** One bug, planted alone: `find` stands exactly once in `file`. `rule` is the name of what it breaks. */
export interface Plant {
  readonly rule: string;
  readonly bug: string;
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

const linesWith = (sign: string, lines: readonly string[]): string =>
  lines
    .filter((line) => line.startsWith(sign))
    .map((line) => line.slice(1))
    .join('\n');

const read = (text: string): Plant => {
  const [head = '', ...lines] = text.split('\n');
  const [rule = '', bug = '', file = ''] = head.split(' | ');
  const find = linesWith('-', lines);
  return { rule, bug, file: `shared/${file}`, find, replace: linesWith('+', lines) };
};

/** Rule, bug, file; then the lines that go out and those that come in. */
export const PLANTED: readonly Plant[] = `
ask-first | the card is sent before the ask is saved | flow/suspend.ts
-  const written = await store.write(
-    openAskMove(
+  const early = await viewOf(run.ports, run.session, ask, { state: 'waiting' });
+  for (const one of receiversOf(run.ports, run.session, ask))
+    await channelOf(run.ports, run.turn.to.channel).show(
+      early, one, platformKey(run.session.id, id, receiverName(one)));
+  const written = await store.write(
+    openAskMove(
one-claim | a claim without its condition on the state | domain/moves.ts
-      isOpen(ask),
-      above(
+      is('ask.id', ask),
+      above(
ledger-first | the ledger row is written after the tool | flow/carry-out.ts
-  const written = await store.write(startCall(key, call.tool, run.attempt, run.deadline));
-  const row = asRow(written.item);
-  if (written.kind === 'written' ||
+  const [known] = await store.read([key]);
+  const early = known ? undefined : await attemptTool(run, call, async () => {});
+  const written = await store.write(startCall(key, call.tool, run.attempt, run.deadline));
+  const row = asRow(written.item);
+  if (early && row.attempt === run.attempt)
+    return replay(run.ports, asRow((await store.write(
+      settleCall(key, run.attempt, early.state, await store.keep(key, early.text)))).item));
+  if (written.kind === 'written' ||
fresh | an old yes is carried out | flow/settle.ts
-!decision?.by || clock.now() - decision.at > settings.approval.carryOutSeconds * 1000
+!decision?.by
accepted | a message may be started again | domain/moves.ts
-  only: all(idle, unaccepted(place)),
+  only: idle,
skip | a text put aside that decided is run | flow/finish.ts
-!row || row.decided !== undefined
+!row
finish | an ask nobody saw is left | flow/run-turn.ts
-  await showAsk(ports, session);
tell-first | the turn is ended before the person is told | flow/finish.ts
-  await tell(run, told, platformKey(run.session.id, run.turn.id, 'final'));
-  await endOrDrain(run);
+  await endOrDrain(run);
+  await tell(run, told, platformKey(run.session.id, run.turn.id, 'final'));
dedup | the hand-over is named by the message alone | flow/finish.ts
-after: run.job }, name),
+after: run.job }, 'm:' + head),
timer-clock | the timer trusts the function's clock | flow/expire.ts
-timer.ask, timer.expiresAt));
+timer.ask, ports.clock.now()));
lease | \`started\` by another is called unknown at once | flow/carry-out.ts
-  if (row.until + LEASE_MARGIN_MS > clock.now())
+  if (row.until < 0)
adopt | the newer step overwrites the stored one | flow/rows.ts
-store.write(putIfAbsent(key, { version: MESSAGE_VERSION, turn, message }));
+store.write({
+    ...putIfAbsent(key, { version: MESSAGE_VERSION, turn, message }),
+    ...(message.role === 'step' && { only: undefined }) });
text-time | a text settles whatever is open | flow/accept.ts
-  if (!seen) return enqueue(ports, heard);
late | "expired" is said before it is written | flow/claim.ts
-refusal.reason === 'expired' ? await lateRefusal(ports, request) : asExpired(refusal);
+asExpired(refusal);
lapsed | a lapsed approval is told without fencing the ledger | flow/settle.ts
-return fenceTask(run, step, ask, task, ready.why);
+return { anew: ready.why };
declined | a declined call gets no result | flow/settle.ts
-      return decline('declined');
+      return { state: 'cancelled' };
picks | picks are ignored | flow/settle.ts
-decision.picked && !decision.picked.includes(position)
+decision.picked?.length === 0
approver | the approver is not checked at the claim | domain/moves.ts
-      ...(claimant ? [holdsRights(claimant.needs, rights)] : []),
void | "stopped" is said without writing \`void\` | flow/fence.ts
-    const written = await ports.store.write(voidCall(key, call.tool));
-    fenced.push({ ...call, key, stopped: written.item?.['state'] === 'void', row: written.item });
+    const [row] = await ports.store.read([key]);
+    fenced.push({ ...call, key, stopped: row === undefined || row['state'] === 'void', row });
void-started | "stopped" is said of what has started | flow/fence.ts
-stopped: written.item?.['state'] === 'void'
+stopped: true
owner | any job may write to a running turn | domain/moves.ts
-  all(is('turn.id', turn), is('turn.job', job), is('phase', 'EXECUTING'));
+  all(is('turn.id', turn), is('phase', 'EXECUTING'));
silent-store | a store that does not answer refuses the call | flow/look.ts
-  const verdict = await verdictOn(run, call, tool.work, risk.risk);
+  const verdict = await verdictOn(run, call, tool.work, risk.risk).catch(() => undefined);
+  if (!verdict) return refused('its risk could not be told');
retry-failed | a retry that failed says that nothing ran | flow/carry-out.ts
-    again && tried.state === 'failed'
+    again && tried.state === 'unknown'
attempt | a runner does not know its own \`started\` | flow/carry-out.ts
-written.kind === 'written' || (row.state === 'started' && row.attempt === run.attempt)
+written.kind === 'written'
attempt-claim | a claim does not know its own decision | flow/claim.ts
-  const mine = ask?.id === askId && ask.decision?.id === decision.id;
+  const mine = false;
tick | the tick leaves a decision nobody took up | flow/expire.ts
-  if (ask.state === 'decided' || unshownAsk(session))
+  if (unshownAsk(session))
tick-click | a click leaves a decision nobody took up | domain/session.ts
-  return ask?.state === 'decided' && now - (ask.decision?.at ?? now) >= 5_000 ? ask : undefined;
+  return ask && now < 0 ? ask : undefined;
memory-fence | a call that memory may have let run is asked without owning its row | flow/go-on.ts
-  if (!verdict?.recall) return false;
+  if (verdict) return false;
retention | rows of a turn that waits are deleted by their age | flow/suspend.ts
-  await outlive(ports, session, turn, ask);
retention-aside | a message put aside is deleted by its age | flow/run-turn.ts
-      await outliveAside(ports, session, message.id);
`
  .trim()
  .split(/\n(?![-+])/)
  .map(read);
