import type { ApiAnswer } from '../api-server.ts';
import { refuse, succeed } from './answers.ts';
import type { ApiCall, Platform } from './platform.ts';

/**
 * `card/callbacks/register`. A key that exists keeps its address unless it is forced, and the answer says which that is
 * (guide event-callback-card; the API page has `param.callbackRouteKeyExist` instead).
 */
export const registerRoute = ({ state }: Platform, { body }: ApiCall): ApiAnswer => {
  const {
    callbackRouteKey: key,
    callbackUrl,
    apiSecret,
    forceUpdate,
  } = body as {
    readonly [name: string]: unknown;
  };
  if (typeof key !== 'string' || key === '') return refuse('param.callbackRouteKeyEmpty');
  if (typeof callbackUrl !== 'string' || !URL.canParse(callbackUrl))
    return refuse('param.callbackUrlEmpty');
  const kept = forceUpdate === true ? undefined : state.routes.get(key);
  const route = kept ?? { callbackUrl, ...(typeof apiSecret === 'string' && { apiSecret }) };
  if (!kept) state.routes.put(key, route);
  return succeed({ success: true, result: route });
};
