// What the number shows of itself.
import { z } from "@hono/zod-openapi";
import { isAtMost } from "../../domain/messages/characters.ts";
import { FILE_RULES } from "../../domain/media/file-rules.ts";
import { renderProfile } from "../render/contact.ts";
import { route } from "../route.ts";
import { Profile } from "../schemas/contact.ts";
import { done, ok, text } from "../schemas/fields.ts";
import { givenFile, media } from "../schemas/media.ts";

const tag = "profile";
const NAME_CHARACTERS = 25;
const ABOUT_CHARACTERS = 139;

/** "" removes it. */
const about = z
  .string()
  .refine((value) => isAtMost(value, ABOUT_CHARACTERS), { error: `deve ter no máximo ${ABOUT_CHARACTERS} caracteres` })
  .openapi({ maxLength: ABOUT_CHARACTERS, description: "Empty removes the about text" });

export const profileRoutes = [
  route({
    method: "get",
    path: "/profile",
    operation: "profile.get",
    tag,
    counted: true,
    cached: true,
    summary: "The profile of the number",
    input: () => ({}),
    response: z.object({ data: Profile }),
    render: (profile, rendering) => ({ data: renderProfile(profile, rendering) }),
  }),
  route({
    method: "put",
    path: "/profile/name",
    operation: "profile.name",
    tag,
    summary: "Changes the name that others see",
    body: z.strictObject({ name: text(NAME_CHARACTERS) }),
    input: ({ body }) => ({ name: body.name }),
    response: ok,
    render: done,
  }),
  route({
    method: "put",
    path: "/profile/about",
    operation: "profile.about",
    tag,
    summary: "Changes the about text",
    body: z.strictObject({ about }),
    input: ({ body }) => ({ about: body.about }),
    response: ok,
    render: done,
  }),
  route({
    method: "put",
    path: "/profile/picture",
    operation: "profile.picture",
    tag,
    summary: "Changes the profile picture",
    body: z.strictObject({ media }),
    input: ({ body, files }) => ({ picture: files.add(givenFile(body.media, FILE_RULES.picture)) }),
    response: ok,
    render: done,
  }),
  route({
    method: "delete",
    path: "/profile/picture",
    operation: "profile.picture",
    tag,
    summary: "Removes the profile picture",
    input: () => ({ picture: null }),
    response: ok,
    render: done,
  }),
];
