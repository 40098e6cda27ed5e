import { ACCOUNT_STYLE } from "./account.ts";
import { CONNECTION_STYLE } from "./connection.ts";
import type { StyleName, WebhookStyle } from "./style.ts";

export const STYLES: Readonly<Record<StyleName, WebhookStyle>> = { account: ACCOUNT_STYLE, connection: CONNECTION_STYLE };

export const LONGEST_RETRY_MS = Math.max(...Object.values(STYLES).flatMap(({ delaysS }) => delaysS)) * 1_000;
