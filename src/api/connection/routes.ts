import { mediaRoute } from "./media.ts";
import { familiesOf } from "../families.ts";
import { instance } from "../instance/routes.ts";
import type { Family, OperationRoute } from "../route.ts";
import { VIEWS } from "./style.ts";

export type Route = OperationRoute & { tag: string };

/** Routes that only this API has, by family. */
const OWN: Readonly<Record<string, readonly OperationRoute[]>> = { chats: [mediaRoute] };

export const FAMILIES: readonly Family<OperationRoute>[] = [
  instance,
  ...familiesOf(VIEWS).map((family) => ({ ...family, routes: [...family.routes, ...(OWN[family.name] ?? [])] })),
];

/** This API returns 200 even when something is created (docs/use/apis.md, "Shapes"). */
export const ROUTES: readonly Route[] = FAMILIES.flatMap(({ name, routes }) => routes.map((row) => ({ ...row, status: 200, tag: name })));
