// The address book, and checks of numbers.
import { z } from "@hono/zod-openapi";
import { done, list, one, page } from "../answers.ts";
import { EXAMPLE } from "../example-values.ts";
import { PERSON_FAILURES } from "../failure-lists.ts";
import { cursor, digits, limit, optionalBoolean } from "../fields.ts";
import { type Family, route } from "../route.ts";
import { contactDetailRoutes } from "./details.ts";
import { contactBody, contactId } from "./schemas.ts";
import { contact, numberCheck } from "./view.ts";

const params = z.object({ contactId });

const contactRoutes = [
  route({
    method: "get",
    path: "/contacts",
    name: "listContacts",
    effect: "read",
    operation: "contacts.list",
    counted: true,
    cached: true,
    summary: { en: "Contacts, by name", pt: "Contatos, por nome" },
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
    summary: { en: "Whether a number has an account on the network", pt: "Se um número tem conta na rede" },
    failures: [...PERSON_FAILURES, "invalid_number"],
    example: { query: { phone: EXAMPLE.contact } },
    query: z.object({ phone: digits }),
    input: ({ query }) => ({ phones: [query.phone] }),
    response: z.object({ data: numberCheck.schema }),
    // One number in, one result out.
    render: ({ items }, context) => ({ data: numberCheck.show(items[0] ?? { phone: "", found: null }, context) }),
  }),
  route({
    method: "post",
    path: "/contacts/check",
    name: "checkNumbers",
    effect: "read",
    operation: "contacts.check",
    summary: { en: "Which of several numbers have an account on the network", pt: "Quais de vários números têm conta na rede" },
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
    summary: { en: "Blocked contacts", pt: "Os contatos bloqueados" },
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
    summary: { en: "One contact", pt: "Um contato" },
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
    summary: {
      en: "Saves or renames a contact, also in the phone's address book",
      pt: "Salva ou renomeia um contato, também na agenda do celular",
    },
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
    summary: { en: "Removes a contact from the address book", pt: "Remove um contato da agenda" },
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
    summary: { en: "Blocks a contact", pt: "Bloqueia um contato" },
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
    summary: { en: "Unblocks a contact", pt: "Desbloqueia um contato" },
    failures: [...PERSON_FAILURES, "contact_not_found", "outside_service_window"],
    params,
    input: (given) => ({ contact_id: given.params.contactId, blocked: false }),
    ...done,
  }),
];

export const contacts: Family = {
  name: "contacts",
  title: { en: "Contacts", pt: "Contatos" },
  description: { en: "Contacts: look up, save, block.", pt: "Contatos: consultar, salvar, bloquear." },
  routes: [...contactRoutes, ...contactDetailRoutes],
};
