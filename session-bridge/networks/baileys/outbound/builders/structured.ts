import { randomBytes } from "node:crypto";
import type { SendContent } from "@gateway/protocol/content.ts";
import { fail, type Outcome } from "@gateway/protocol/failures.ts";
import { vcardOf } from "../../content/contact-cards.ts";
import { readRaw } from "../../content/raw-message.ts";
import { unwrap } from "../../content/unwrap.ts";
import { failureOfError } from "../../session/network-failures.ts";
import { built, type BuildContext, type BuiltContent } from "./message-builder.ts";
import { DAY_SECONDS } from "@gateway/protocol/units.ts";

type Of<K extends SendContent["kind"]> = Extract<SendContent, { kind: K }>;

const INVITATION_DAYS = 3;

const place = ({ latitude, longitude, name, address }: Of<"location">["location"]) => ({
  degreesLatitude: latitude,
  degreesLongitude: longitude,
  ...(name !== null && { name }),
  ...(address !== null && { address }),
});

export const location = ({ location: at }: Of<"location">): Outcome<BuiltContent> => built({ location: place(at) });

export function contact({ contacts }: Of<"contact">): Outcome<BuiltContent> {
  const cards = contacts.map((card) => ({ displayName: card.full_name, vcard: vcardOf(card) }));
  return built({
    contacts: { displayName: contacts.length === 1 ? (contacts[0]?.full_name ?? "") : `${contacts.length} contacts`, contacts: cards },
  });
}

export const poll = ({ poll: { question, options, selectable_count } }: Of<"poll">): Outcome<BuiltContent> =>
  built(
    { poll: { name: question, values: options, selectableCount: selectable_count, messageSecret: randomBytes(32) } },
    { tags: { meta: { polltype: "creation" } } },
  );

export function event({
  name,
  description,
  starts_at,
  ends_at,
  location: at,
  extra_guests,
  cancelled,
}: Of<"event">): Outcome<BuiltContent> {
  return built(
    {
      event: {
        name,
        startDate: new Date(starts_at * 1000),
        extraGuestsAllowed: extra_guests,
        isCancelled: cancelled,
        ...(description !== null && { description }),
        ...(ends_at !== null && { endDate: new Date(ends_at * 1000) }),
        ...(at !== null && { location: place(at) }),
      },
    },
    { tags: { meta: { event_type: "creation" } } },
  );
}

export async function groupInvite({ group_id, subject, text }: Of<"group_invite">, { ctx }: BuildContext): Promise<Outcome<BuiltContent>> {
  try {
    const code = await ctx.sock.groupInviteCode(group_id);
    if (!code) return fail("unavailable");
    const inviteExpiration = Math.floor(ctx.now() / 1000) + INVITATION_DAYS * DAY_SECONDS;
    return built({ groupInvite: { inviteCode: code, inviteExpiration, text: text ?? "", jid: group_id, subject } });
  } catch (error) {
    return fail(failureOfError(error, "group"));
  }
}

/** A forwarded file is not uploaded again: the network still has it. */
export function forward({ raw }: Of<"forward">): Outcome<BuiltContent> {
  const source = readRaw(raw);
  const { field, content } = unwrap(source?.message);
  if (!source || field === null) return fail("source_message_not_found");
  // The library marks the first field it finds as forwarded, so accompanying fields are left out.
  return built({ forward: { key: source.key, message: { [field]: content[field] } } });
}
