import { documented } from "#root/src/http/openapi/documentation.ts";
import { readLid } from "@gateway/domain/chats/chat-id.ts";
import type { OperationOutput } from "@gateway/protocol/operations.ts";
import * as z from "#root/src/http/openapi/zod.ts";
import { done, list, one, page } from "../responses.ts";
import { EXAMPLE } from "../example-values.ts";
import { PERSON_FAILURES, NETWORK_FAILURES } from "../failure-lists.ts";
import { cursor, digits, limit, optionalBoolean } from "../fields.ts";
import { type Family, route } from "../route.ts";
import { contactBody, contactId, pictureSize, contact, numberCheck, aboutText, businessProfile, picture, reachability } from "./view.ts";
import { readAs } from "#root/src/http/fields.ts";
import { instanceId } from "../account/fields.ts";

const params = z.object({ contactId });

const contactDetailRoutes = [
  route({
    method: "get",
    path: "/contacts/{contactId}/picture",
    name: "getContactPicture",
    effect: "read",
    operation: "pictures.get",
    counted: true,
    cached: true,
    summary: documented({ en: "The picture of a contact", pt: "A foto de um contato" }),
    failures: [...PERSON_FAILURES, "picture_not_found"],
    example: { query: { size: "preview" } },
    params,
    query: z.object({ size: pictureSize }),
    input: (given) => ({ chat_id: given.params.contactId, size: given.query.size }),
    ...one(picture),
  }),
  route({
    method: "get",
    path: "/contacts/{contactId}/reachability",
    name: "getReachability",
    effect: "read",
    operation: "contacts.reachability",
    counted: true,
    cached: true,
    summary: documented({
      en: "Whether a message to a contact would be sent now",
      pt: "Diz se dá para enviar uma mensagem a um contato agora",
    }),
    description: documented({
      en: "`advice` is what to do, and `why` the reason. The answer is cached for 10 seconds. A person who has never written is looked up on WhatsApp once.",
      pt: "`advice` diz o que fazer, e `why`, o motivo. A resposta fica em cache por 10 segundos. Quem nunca escreveu é consultado uma vez no WhatsApp.",
    }),
    failures: [],
    params,
    input: (given) => ({ contact_id: given.params.contactId }),
    ...one(reachability),
  }),
  route({
    method: "get",
    path: "/contacts/{contactId}/about",
    name: "getContactAbout",
    effect: "read",
    operation: "contacts.about",
    counted: true,
    cached: true,
    summary: documented({ en: "The about text of a contact", pt: "O recado de um contato" }),
    failures: [...PERSON_FAILURES, "contact_not_found"],
    params,
    input: (given) => ({ contact_id: given.params.contactId }),
    ...one(aboutText),
  }),
  route({
    method: "get",
    path: "/contacts/{contactId}/business-profile",
    name: "getBusinessProfile",
    effect: "read",
    operation: "contacts.business_profile",
    counted: true,
    cached: true,
    summary: documented({ en: "The business profile of a contact", pt: "O perfil comercial de um contato" }),
    failures: [...PERSON_FAILURES, "contact_not_found", "business_profile_not_found"],
    params,
    input: (given) => ({ contact_id: given.params.contactId }),
    ...one(businessProfile),
  }),
];

const contactRoutes = [
  route({
    method: "get",
    path: "/contacts",
    name: "listContacts",
    effect: "read",
    operation: "contacts.list",
    counted: true,
    cached: true,
    summary: documented({ en: "Contacts, by name", pt: "Contatos, por nome" }),
    failures: [],
    example: { query: { limit: 20 } },
    query: z.object({ limit, cursor, q: z.string().max(200).optional(), saved: optionalBoolean }),
    input: ({ query }) => ({ limit: query.limit, cursor: query.cursor ?? null, q: query.q ?? null, saved: query.saved ?? null }),
    ...page(contact),
  }),
  route({
    method: "get",
    path: "/contacts/check",
    name: "checkNumber",
    effect: "read",
    operation: "contacts.check",
    counted: true,
    cached: true,
    summary: documented({ en: "Checks whether a number is on WhatsApp", pt: "Verifica se um número tem WhatsApp" }),
    failures: [...PERSON_FAILURES, "invalid_number"],
    example: { query: { phone: EXAMPLE.contact } },
    query: z.object({ phone: digits }),
    input: ({ query }) => ({ phones: [query.phone] }),
    response: z.object({ data: numberCheck.schema }),
    render: ({ items }, context) => ({ data: numberCheck.show(items[0] ?? { phone: "", found: null }, context) }),
  }),
  route({
    method: "post",
    path: "/contacts/check",
    name: "checkNumbers",
    effect: "read",
    operation: "contacts.check",
    summary: documented({ en: "Checks which of several numbers are on WhatsApp", pt: "Verifica quais de vários números têm WhatsApp" }),
    failures: [...PERSON_FAILURES, "invalid_number"],
    example: { body: { phones: [EXAMPLE.contact, EXAMPLE.other] } },
    body: z.strictObject({ phones: z.array(digits).min(1).max(50) }),
    input: ({ body }) => ({ phones: body.phones }),
    ...list(numberCheck),
  }),
  route({
    method: "get",
    path: "/contacts/blocked",
    name: "listBlockedContacts",
    effect: "read",
    operation: "contacts.blocked",
    counted: true,
    cached: true,
    summary: documented({ en: "Blocked contacts", pt: "Os contatos bloqueados" }),
    failures: PERSON_FAILURES,
    input: () => ({}),
    response: z.object({ data: z.array(z.string().openapi({ example: "5511900000002@c.us" })) }),
    render: ({ contact_ids }) => ({ data: contact_ids }),
  }),
  route({
    method: "get",
    path: "/contacts/{contactId}",
    name: "getContact",
    effect: "read",
    operation: "contacts.get",
    counted: true,
    cached: true,
    summary: documented({ en: "One contact", pt: "Um contato" }),
    failures: ["contact_not_found"],
    params,
    input: (given) => ({ contact_id: given.params.contactId }),
    ...one(contact),
  }),
  route({
    method: "put",
    path: "/contacts/{contactId}",
    name: "saveContact",
    effect: "change",
    operation: "contacts.save",
    summary: documented({
      en: "Saves or renames a contact, also in the phone's address book",
      pt: "Salva ou renomeia um contato, também na agenda do celular",
    }),
    failures: [...PERSON_FAILURES, "contact_not_found"],
    example: { body: { full_name: "Ana Souza", first_name: "Ana" } },
    params,
    body: contactBody,
    input: (given) => ({
      contact_id: given.params.contactId,
      full_name: given.body.full_name,
      first_name: given.body.first_name ?? null,
    }),
    ...one(contact),
  }),
  route({
    method: "delete",
    path: "/contacts/{contactId}",
    name: "deleteContact",
    effect: "destructive",
    operation: "contacts.remove",
    summary: documented({ en: "Removes a contact from the address book", pt: "Remove um contato da agenda" }),
    failures: [...PERSON_FAILURES, "contact_not_found"],
    params,
    input: (given) => ({ contact_id: given.params.contactId }),
    ...done,
  }),
  route({
    method: "post",
    path: "/contacts/{contactId}/block",
    name: "blockContact",
    effect: "change",
    operation: "contacts.block",
    summary: documented({ en: "Blocks a contact", pt: "Bloqueia um contato" }),
    failures: [...PERSON_FAILURES, "contact_not_found", "outside_service_window"],
    params,
    input: (given) => ({ contact_id: given.params.contactId, blocked: true }),
    ...done,
  }),
  route({
    method: "post",
    path: "/contacts/{contactId}/unblock",
    name: "unblockContact",
    effect: "change",
    operation: "contacts.block",
    summary: documented({ en: "Unblocks a contact", pt: "Desbloqueia um contato" }),
    failures: [...PERSON_FAILURES, "contact_not_found", "outside_service_window"],
    params,
    input: (given) => ({ contact_id: given.params.contactId, blocked: false }),
    ...done,
  }),
];

export const contacts: Family = {
  name: "contacts",
  title: documented({ en: "Contacts", pt: "Contatos" }),
  description: documented({ en: "Contacts: look up, save, block.", pt: "Contatos: consultar, salvar, bloquear." }),
  routes: [...contactRoutes, ...contactDetailRoutes],
};

// The network knows a person by two ids, the LID and the phone number.
const EXAMPLE_LID = "150000000000077@lid";

const lid = z.string().transform(readAs(readLid, "not_a_lid")).openapi({ type: "string", example: EXAMPLE_LID });

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
    summary: documented({ en: "The phone number behind a LID", pt: "O número de telefone de um LID" }),
    description: documented({
      en: "WhatsApp reveals phone numbers only together with messages, groups and contacts. Until then the response is 404.",
      pt: "O WhatsApp só revela números de telefone junto com mensagens, grupos e contatos. Até lá, a resposta é 404.",
    }),
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
    summary: documented({ en: "The LID of a phone number", pt: "O LID de um número de telefone" }),
    description: documented({
      en: "`phone` is the number as WhatsApp registers it. A number without an account returns 404.",
      pt: "`phone` é o número como o WhatsApp o registra. Um número sem conta recebe 404.",
    }),
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
