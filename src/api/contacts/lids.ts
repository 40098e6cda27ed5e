// The network knows a person by two ids: LID and phone number.
import * as z from "#root/src/http/openapi/zod.ts";
import { readLid } from "@gateway/domain/chats/chat-id.ts";
import { readAs } from "../../http/fields.ts";
import type { OperationOutput } from "@gateway/protocol/operations.ts";
import { NETWORK_FAILURES } from "../failure-lists.ts";
import { digits } from "../fields.ts";
import { instanceId } from "../account/fields.ts";
import { route } from "../route.ts";

const EXAMPLE_LID = "150000000000077@lid";

const lid = z.string().transform(readAs(readLid, "no_lid")).openapi({ type: "string", example: EXAMPLE_LID });

const LidPair = z.object({ lid: z.string().openapi({ example: EXAMPLE_LID }), phone: digits }).openapi("LidPair");

export const lidRoutes = [
  route({
    name: "getPhoneOfLid",
    effect: "read",
    method: "get",
    path: "/instances/{instanceId}/lids/{lid}",
    scope: "read",
    operation: "contacts.phone",
    counted: true,
    summary: { en: "The phone number behind a LID", pt: "O número de telefone por trás de um LID" },
    description: {
      en: "WhatsApp reveals phone numbers only together with messages, groups and contacts. Until then the response is 404.",
      pt: "O WhatsApp só revela números de telefone junto com mensagens, grupos e contatos. Até lá, a resposta é 404.",
    },
    failures: [...NETWORK_FAILURES, "contact_not_found"],
    params: z.object({ instanceId, lid }),
    input: ({ params }) => ({ lid: params.lid }),
    response: z.object({ data: LidPair }),
    render: rendered,
  }),
  route({
    name: "getLidOfPhone",
    effect: "read",
    method: "get",
    path: "/instances/{instanceId}/lids/pn/{phone}",
    scope: "read",
    operation: "contacts.lid",
    counted: true,
    summary: { en: "The LID of a phone number", pt: "O LID de um número de telefone" },
    description: {
      en: "`phone` is the number as WhatsApp registers it. A number without an account returns 404.",
      pt: "`phone` é o número como o WhatsApp o registra. Um número sem conta recebe 404.",
    },
    failures: [...NETWORK_FAILURES, "contact_not_found", "invalid_number"],
    params: z.object({ instanceId, phone: digits }),
    input: ({ params }) => ({ phone: params.phone }),
    response: z.object({ data: LidPair }),
    render: rendered,
  }),
];

function rendered({ lid: user, phone }: OperationOutput<"contacts.lid">): { data: z.input<typeof LidPair> } {
  return { data: { lid: `${user}@lid`, phone } };
}
