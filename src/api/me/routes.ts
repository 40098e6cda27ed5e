import * as z from "#root/src/http/openapi/zod.ts";
import { fail, type Outcome } from "@gateway/protocol/failures.ts";
import { type AccountRow, type Family, route } from "../route.ts";
import { accountExportRoutes } from "../export/routes.ts";
import { renderUser } from "./view.ts";
import { removalRoute } from "./removal.ts";
import { keyRoutes } from "../keys/routes.ts";

import { User } from "./schemas.ts";

const accountRoutes = [
  route({
    name: "getAccount",
    effect: "read",
    method: "get",
    path: "/me",
    scope: null,
    summary: { en: "The account of this key or token", pt: "A conta desta chave ou deste token" },
    run: async (context): Promise<Outcome<z.input<typeof User>>> => {
      const account = await renderUser(context);
      return account === null ? fail("unauthorized") : { ok: true, value: account };
    },
    response: z.object({ data: User }),
    render: (data) => ({ data }),
  }),
];

export const account: Family<AccountRow> = {
  name: "account",
  title: { en: "Account", pt: "Conta" },
  description: { en: "Your account and its keys.", pt: "A sua conta e as chaves dela." },
  routes: [...accountRoutes, ...accountExportRoutes, removalRoute, ...keyRoutes],
};
