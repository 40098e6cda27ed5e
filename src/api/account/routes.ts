// Every route of the Account API, family by family, in the order in which the documentation shows them.
import { account } from "../me/routes.ts";
import { admin } from "../admin.ts";
import { INSTANCE_FAMILIES } from "./instance-routes.ts";
import { instances } from "../instances/routes.ts";
import { type Family, type Route, routesOf } from "./route.ts";
import { service } from "../service/routes.ts";
import { webhooks } from "../webhooks/routes.ts";

export const FAMILIES: readonly Family[] = [instances, ...INSTANCE_FAMILIES, webhooks, account, admin, service];

export const ROUTES: readonly Route[] = routesOf(FAMILIES);
