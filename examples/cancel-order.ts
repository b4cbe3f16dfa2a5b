import * as z from 'zod';
import type { Database } from '#ports/database.ts';
import { changed, defineTool, type Resources } from '#ports/tool.ts';

const LIMIT_MS = 10_000;
const CANCELLED = 1;

/** Everything about the tool is here: what the model reads, what the person sees, what runs. */
export const cancelOrder = defineTool({
  needs: 'database',
  description: 'Cancel one order, as long as it is new or paid.',
  input: z.object({ orderId: z.int().positive() }),
  risk: 'HIGH',
  summary: ({ orderId }, language) =>
    language === 'zh-CN' ? `取消订单 ${orderId}` : `Cancel order ${orderId}`,
  preview: ({ orderId }, { resources, signal }) => lookAt(databaseOf(resources), orderId, signal),
  // Setting a status twice is the same as once, so a run that was lost may be tried again.
  idempotent: true,
  run: async ({ orderId }, { resources, signal, shown }) => {
    const database = databaseOf(resources);
    const order = await lookAt(database, orderId, signal);
    if (order !== shown) return changed(order);
    return database.transact({ limitMs: LIMIT_MS, signal }, async (transaction) => {
      const { rows } = await transaction.run(
        `UPDATE orders SET status = ${CANCELLED} WHERE id = ${orderId} AND status IN (0, 2)`,
      );
      await transaction.commit();
      return rows === 1 ? 'cancelled' : 'nothing to cancel: it is shipped or cancelled already';
    });
  },
});

const lookAt = async (
  database: Database,
  orderId: number,
  signal: AbortSignal,
): Promise<string> => {
  const { rows } = await database.read('SELECT status, amount FROM orders WHERE id = $1', {
    limitMs: LIMIT_MS,
    signal,
    values: [orderId],
  });
  const [order] = rows;
  if (!order) throw new Error(`there is no order ${orderId}`);
  return `order ${orderId}: status ${order[0]}, amount ${order[1]}`;
};

const databaseOf = ({ database }: Resources): Database => {
  if (!database) throw new Error('there is no database: set DATABASE_URL');
  return database;
};
