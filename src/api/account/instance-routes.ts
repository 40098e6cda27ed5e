// The routes that both APIs have, on the instance in the path.
import { z } from "@hono/zod-openapi";
import type { Scope } from "@gateway/domain/keys/scopes.ts";
import { familiesOf } from "../families.ts";
import type { Family as SharedFamily, RouteRow as SharedRow } from "../route.ts";
import { messageMediaRoutes } from "../chats/account-media.ts";
import { chatRoutes } from "../chats/account-history.ts";
import { lidRoutes } from "../contacts/lids.ts";
import { instanceId } from "./fields.ts";
import { messageLabelRoutes } from "../labels/message-labels.ts";
import { privacyRoutes } from "../profile/privacy.ts";
import { renderContextOf } from "./request-context.ts";
import type { Family, OperationRoute } from "./route.ts";
import { VIEWS } from "./style.ts";

const INSTANCE = "/instances/{instanceId}";

/** By the name of a family: the routes that this API writes differently, or has alone. */
const OWN: Readonly<Record<string, readonly OperationRoute[]>> = {
  chats: [...chatRoutes, ...messageMediaRoutes],
  contacts: lidRoutes,
  labels: messageLabelRoutes,
  profile: privacyRoutes,
};

const SCOPES: Readonly<Record<SharedRow["effect"], Scope>> = { read: "read", change: "send", destructive: "send" };

export const INSTANCE_FAMILIES: readonly Family[] = familiesOf(VIEWS).map((family) => ({
  ...family,
  routes: withOwn(family, OWN[family.name] ?? []),
}));

function withOwn({ routes }: SharedFamily, own: readonly OperationRoute[]): readonly OperationRoute[] {
  const isOwn = (row: OperationRoute) => own.some(({ method, path }) => method === row.method && path === row.path);
  return [...routes.map(onInstance).filter((row) => !isOwn(row)), ...own];
}

function onInstance({ params, render, creates, effect, path, ...row }: SharedRow): OperationRoute {
  return {
    ...row,
    kind: "operation",
    effect,
    path: INSTANCE + path,
    // Parameters are objects by the route table's own habit.
    params: z.object({ instanceId, ...(params as z.ZodObject | null)?.shape }),
    status: creates ? 201 : 200,
    // An answer that another API caches is not cached here.
    cached: false,
    scope: SCOPES[effect],
    streams: false,
    render: (output, context) => render(output, renderContextOf(context)) as object,
  };
}
