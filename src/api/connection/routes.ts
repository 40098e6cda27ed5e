// Every route of the Connection API, family by family, in the order in which the documentation shows them.
import { familiesOf } from "../families.ts";
import type { Family, RouteRow } from "../route.ts";
import { instance } from "../instance/routes.ts";
import { VIEWS } from "./style.ts";

/** `tag`: the name of its family. */
export type Route = RouteRow & { tag: string };

export const FAMILIES: readonly Family[] = [instance, ...familiesOf(VIEWS)];

export const ROUTES: readonly Route[] = FAMILIES.flatMap(({ name, routes }) => routes.map((row) => ({ ...row, tag: name })));
