// Every route of the Account API, family by family, in the order in which the documentation shows them.
import { account } from "./account/routes.ts";
import { admin } from "./admin/routes.ts";
import { chats } from "./chats/routes.ts";
import { contacts } from "./contacts/routes.ts";
import { groups } from "./groups/routes.ts";
import { instances } from "./instances/routes.ts";
import { labels } from "./labels/routes.ts";
import { profile } from "./profile/routes.ts";
import { type Family, type Route, routesOf } from "./route.ts";
import { service } from "./service/routes.ts";
import { webhooks } from "./webhooks/routes.ts";

export const FAMILIES: readonly Family[] = [instances, chats, groups, contacts, labels, profile, webhooks, account, admin, service];

export const ROUTES: readonly Route[] = routesOf(FAMILIES);
