import { documented, says } from "#root/src/http/openapi/documentation.ts";
import * as z from "#root/src/http/openapi/zod.ts";
import { problem } from "#root/src/http/problems.ts";
import { FILE_RULES } from "@gateway/domain/media/file-rules.ts";
import { hasAtMostCharacters } from "@gateway/domain/messages/characters.ts";
import { PrivacyChange, PrivacySettings } from "@gateway/protocol/people.ts";
import { done, one } from "../responses.ts";
import { ownProfile } from "../contacts/view.ts";
import { EXAMPLE } from "../example-values.ts";
import { NETWORK_FAILURES } from "../failure-lists.ts";
import { text } from "../fields.ts";
import { givenFile, media } from "../file-field.ts";
import { type Family, route } from "../route.ts";
import { instanceId } from "../account/fields.ts";

const NAME_CHARACTERS = 25;
const ABOUT_CHARACTERS = 139;

const about = z
  .string()
  .refine((value) => hasAtMostCharacters(value, ABOUT_CHARACTERS), problem("too_long", { most: ABOUT_CHARACTERS }))
  .openapi({ maxLength: ABOUT_CHARACTERS, ...says({ en: "Empty removes the about text", pt: "Deixe vazio para remover o recado" }) });

const profileRoutes = [
  route({
    method: "get",
    path: "/profile",
    name: "getProfile",
    effect: "read",
    operation: "profile.get",
    counted: true,
    cached: true,
    summary: documented({ en: "The profile of the number", pt: "O perfil do número" }),
    failures: NETWORK_FAILURES,
    input: () => ({}),
    ...one(ownProfile),
  }),
  route({
    method: "put",
    path: "/profile/name",
    name: "setProfileName",
    effect: "change",
    operation: "profile.name",
    summary: documented({ en: "Changes the name that others see", pt: "Muda o nome que os outros veem" }),
    failures: NETWORK_FAILURES,
    example: { body: { name: "Loja da Ana" } },
    body: z.strictObject({ name: text(NAME_CHARACTERS) }),
    input: ({ body }) => ({ name: body.name }),
    ...done,
  }),
  route({
    method: "put",
    path: "/profile/about",
    name: "setProfileAbout",
    effect: "change",
    operation: "profile.about",
    summary: documented({ en: "Changes the about text", pt: "Muda o recado" }),
    failures: [...NETWORK_FAILURES, "limit_of_kind"],
    example: { body: { about: "Atendimento das 9h às 18h" } },
    body: z.strictObject({ about }),
    input: ({ body }) => ({ about: body.about }),
    ...done,
  }),
  route({
    method: "put",
    path: "/profile/picture",
    name: "setProfilePicture",
    effect: "change",
    operation: "profile.picture",
    summary: documented({ en: "Changes the profile picture", pt: "Muda a foto do perfil" }),
    failures: [...NETWORK_FAILURES, "media_too_large", "media_unreachable", "media_invalid"],
    example: {
      body: {
        media: EXAMPLE.image,
      },
    },
    body: z.strictObject({ media }),
    input: ({ body, files }) => ({ picture: files.add(givenFile(body.media, FILE_RULES.picture)) }),
    ...done,
  }),
  route({
    method: "delete",
    path: "/profile/picture",
    name: "deleteProfilePicture",
    effect: "destructive",
    operation: "profile.remove_picture",
    summary: documented({ en: "Removes the profile picture", pt: "Remove a foto do perfil" }),
    failures: NETWORK_FAILURES,
    input: () => ({}),
    ...done,
  }),
];

export const profile: Family = {
  name: "profile",
  title: documented({ en: "Profile", pt: "Perfil" }),
  description: documented({ en: "The number's own profile.", pt: "O perfil do próprio número." }),
  routes: profileRoutes,
};

const PATH = "/instances/{instanceId}/profile/privacy";
const Privacy = z.object(PrivacySettings.shape).openapi("Privacy");
const params = z.object({ instanceId });
const change = z
  .strictObject(PrivacyChange.shape)
  .refine((settings) => Object.values(settings).some((value) => value !== undefined), problem("empty_change"))
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
    summary: documented({ en: "The number's privacy settings", pt: "As configurações de privacidade do número" }),
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
    summary: documented({ en: "Changes privacy settings", pt: "Muda configurações de privacidade" }),
    description: documented({
      en: "Absent settings do not change. If WhatsApp rejects one, the settings before it in the list of fields have already changed.",
      pt: "As configurações ausentes não mudam. Se o WhatsApp recusar uma, as anteriores na lista de campos já terão mudado.",
    }),
    failures: NETWORK_FAILURES,
    example: { body: { last_seen: "contacts", read_receipts: "none" } },
    params,
    body: change,
    input: ({ body }) => body,
    response: z.object({ data: Privacy }),
    render: (data) => ({ data }),
  }),
];
