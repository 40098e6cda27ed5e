import * as z from "zod";
import type { NetworkChannel } from "@gateway/protocol/channels.ts";
import { asChatId } from "../addressing/jids.ts";

const text = z.object({ text: z.string() }).nullish();
const image = z.object({ url: z.string().nullish(), direct_path: z.string().nullish() }).nullish();
const number = z.union([z.string(), z.number()]).nullish();

const Described = z.object({
  id: z.string(),
  thread_metadata: z
    .object({
      name: text,
      description: text,
      invite: z.string().nullish(),
      creation_time: number,
      subscribers_count: number,
      verification: z.string().nullish(),
      picture: image,
      preview: image,
    })
    .nullish(),
  viewer_metadata: z.object({ role: z.string().nullish(), mute: z.string().nullish() }).nullish(),
});

export type ChannelPicture = { url: string | null; directPath: string | null };
export type DescribedChannel = { facts: NetworkChannel; picture: ChannelPicture | null };

const ROLES: Record<string, NetworkChannel["role"]> = { OWNER: "owner", ADMIN: "admin", SUBSCRIBER: "subscriber", GUEST: "guest" };

export function channelRole(role: string | null | undefined): NetworkChannel["role"] | null {
  return ROLES[role?.toUpperCase() ?? ""] ?? null;
}

export function describedChannel(answer: unknown): DescribedChannel | null {
  const described = Described.safeParse(answer);
  const id = described.success ? asChatId(described.data.id) : null;
  if (!described.success || id === null) return null;
  const { thread_metadata: thread, viewer_metadata: viewer } = described.data;
  const image = thread?.preview ?? thread?.picture;
  const picture = { url: image?.url ?? null, directPath: image?.direct_path ?? null };
  return {
    facts: {
      channel_id: id,
      name: thread?.name?.text ?? "",
      description: thread?.description?.text || null,
      invite_link: thread?.invite ? channelLink(thread.invite) : null,
      role: channelRole(viewer?.role) ?? "guest",
      subscribers: wholeNumber(thread?.subscribers_count),
      verified: thread?.verification === "VERIFIED",
      muted: viewer?.mute === "ON",
      created_at: wholeNumber(thread?.creation_time),
    },
    picture: picture.url === null && picture.directPath === null ? null : picture,
  };
}

function channelLink(invite: string): string {
  return `https://whatsapp.com/channel/${invite}`;
}

function wholeNumber(value: string | number | null | undefined): number | null {
  const read = Number(value ?? Number.NaN);
  return Number.isInteger(read) ? read : null;
}
