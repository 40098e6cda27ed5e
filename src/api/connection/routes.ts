// Every route of the Connection API, in the order in which its documentation shows them.
import { mediaRoute } from "./media.ts";
import { familiesOf } from "../families.ts";
import { instance } from "../instance/routes.ts";
import type { Family, OperationRoute } from "../route.ts";
import { VIEWS } from "./style.ts";

/** `tag`: the name of its family. */
export type Route = OperationRoute & { tag: string };

/** By the name of a family: the routes that this API has alone. */
const OWN: Readonly<Record<string, readonly OperationRoute[]>> = { chats: [mediaRoute] };

export const FAMILIES: readonly Family<OperationRoute>[] = [
  instance,
  ...familiesOf(VIEWS).map((family) => ({ ...family, routes: [...family.routes, ...(OWN[family.name] ?? [])] })),
];

/** This API answers 200 also where something is created (docs/use/apis.md, "Shapes"). */
export const ROUTES: readonly Route[] = FAMILIES.flatMap(({ name, routes }) => routes.map((row) => ({ ...row, status: 200, tag: name })));
