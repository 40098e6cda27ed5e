import * as z from "#root/src/http/openapi/zod.ts";
import { PrivacyChange, PrivacySettings } from "@gateway/protocol/people.ts";
import { problem } from "../../http/problems.ts";
import { NETWORK_FAILURES } from "../failure-lists.ts";
import { instanceId } from "../account/fields.ts";
import { route } from "../route.ts";

const PATH = "/instances/{instanceId}/profile/privacy";
const Privacy = z.object(PrivacySettings.shape).openapi("Privacy");
const params = z.object({ instanceId });
const change = z
  .strictObject(PrivacyChange.shape)
  .refine((settings) => Object.values(settings).some((value) => value !== undefined), problem("no_field"))
  .openapi({ minProperties: 1 });

export const privacyRoutes = [
  route({
    name: "getPrivacy",
    effect: "read",
    method: "get",
    path: PATH,
    scope: "read",
    operation: "profile.privacy",
    counted: true,
    summary: { en: "The number's privacy settings", pt: "As configurações de privacidade do número" },
    failures: NETWORK_FAILURES,
    params,
    input: () => ({}),
    response: z.object({ data: Privacy }),
    render: (data) => ({ data }),
  }),
  route({
    name: "updatePrivacy",
    effect: "change",
    method: "patch",
    path: PATH,
    scope: "send",
    operation: "profile.set_privacy",
    summary: { en: "Changes privacy settings", pt: "Muda configurações de privacidade" },
    description: {
      en: "Absent settings do not change. If WhatsApp rejects one, the settings before it in the list of fields have already changed.",
      pt: "As configurações ausentes não mudam. Se o WhatsApp recusar uma, as anteriores na lista de campos já terão mudado.",
    },
    failures: NETWORK_FAILURES,
    example: { body: { last_seen: "contacts", read_receipts: "none" } },
    params,
    body: change,
    input: ({ body }) => body,
    response: z.object({ data: Privacy }),
    render: (data) => ({ data }),
  }),
];
