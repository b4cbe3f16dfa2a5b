import { afterAll, beforeAll, expect, it } from 'vitest';
import { type DemoDatabase, startDemoDatabase } from '#hosts/local/demo-database/start.ts';
import { cancelOrder } from '../../examples/cancel-order.ts';
import { startCloud } from '../support/cloud.ts';
import {
  type DynamoEmulator,
  type SqsEmulator,
  startDynalite,
  startFauxqs,
} from '../support/emulators.ts';
import { callTool, say, scripted } from '../support/scripted-model.ts';

const LIMITS = { limitMs: 20_000, signal: new AbortController().signal };
const NEW = 5;
const SHIPPED = 1;

let dynamo: DynamoEmulator;
let sqs: SqsEmulator;
let demo: DemoDatabase;
beforeAll(async () => {
  [dynamo, sqs, demo] = await Promise.all([startDynalite(), startFauxqs(), startDemoDatabase({})]);
  // Up, before a preview has ten seconds to ask it something.
  await statusOf(NEW);
});
afterAll(async () => {
  await Promise.all([dynamo.stop(), sqs.stop(), demo.stop()]);
});

const statusOf = async (order: number) =>
  (await demo.database.read(`SELECT status FROM orders WHERE id = ${order}`, LIMITS)).rows[0]?.[0];

const cancelBy = async (orderId: number) => {
  const cloud = await startCloud({
    dynamo,
    sqs,
    model: scripted([callTool('cancel_order', { orderId }), say('好')]),
    tools: { cancel_order: cancelOrder },
    chat: `order-${orderId}`,
  });
  Object.assign(cloud.ports.resources, { database: demo.database });
  await cloud.write('取消这个订单');
  await cloud.runAgent();
  return cloud;
};

it('is a tool in one file: it shows the order, asks, and cancels what was shown', async () => {
  const cloud = await cancelBy(NEW);
  const [task] = cloud.platform.lastCard().views[0]?.tasks ?? [];
  expect(task).toMatchObject({ summary: `取消订单 ${NEW}`, risk: 'HIGH' });
  expect(task?.preview).toMatch(/^order 5: status 0, amount \d/);
  expect(await statusOf(NEW)).toBe(0);
  await cloud.click('confirm');
  await cloud.runAgent();
  expect(await statusOf(NEW)).toBe(1);
  await cloud.stop();
});

it('asks again when the order is no longer what was shown', async () => {
  const cloud = await cancelBy(SHIPPED);
  await demo.database.runAlone(`UPDATE orders SET amount = 1 WHERE id = ${SHIPPED}`, LIMITS);
  await cloud.click('confirm');
  await cloud.runAgent();
  expect(cloud.platform.lastCard().views[0]?.tasks[0]?.preview).toContain('amount 1');
  expect(await statusOf(SHIPPED)).toBe(3);
  await cloud.stop();
});
