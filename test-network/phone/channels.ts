import { QueryIds, XWAPaths, type BinaryNode } from "baileys";
import { bytesOf, child, node, SERVER } from "../node.ts";
import { sha256 } from "./messages/media-cipher.ts";
import type { PhoneDependencies } from "./dependencies.ts";
import { done, refused, type Outcome } from "./refusal.ts";

export type ChannelView = {
  channel_id: string;
  name: string;
  description: string;
  role: string;
  muted: boolean;
  followers: number;
  invite_code: string;
  picture_sha256: string | null;
  messages: Array<{ message_id: string; server_id: string; type: string; reactions: Array<{ from: string; reaction: string }> }>;
};

export function createChannel(phone: PhoneDependencies, name: string, description: string): Outcome<{ channel_id: string }> {
  const answer = ask(phone, QueryIds.CREATE, { input: { name, description } }, XWAPaths.xwa2_newsletter_create);
  return answer.ok ? done({ channel_id: String(answer.value["id"]) }) : answer;
}

export function followChannel(phone: PhoneDependencies, channelId: string, follow: boolean): Outcome<true> {
  const variables = { newsletter_id: channelId };
  const answer = follow
    ? ask(phone, QueryIds.FOLLOW, variables, "xwa2_newsletter_join_v2")
    : ask(phone, QueryIds.UNFOLLOW, variables, "xwa2_newsletter_leave_v2");
  return answer.ok ? done(true) : answer;
}

export function listChannels(phone: PhoneDependencies): ChannelView[] {
  return phone.link.channels().flatMap((channel) => {
    const own = channel.followers.get(phone.pn);
    if (!own) return [];
    const messages = [...channel.messages.values()].map(({ id, serverId, type, reactions }) => ({
      message_id: id,
      server_id: serverId,
      type,
      reactions: [...reactions].map(([from, reaction]) => ({ from, reaction })),
    }));
    const picture = channel.picture && phone.link.readBlob(channel.picture.path);
    return [
      {
        channel_id: channel.id,
        name: channel.name,
        description: channel.description,
        role: own.role.toLowerCase(),
        muted: own.muted,
        followers: channel.followers.size,
        invite_code: channel.inviteCode,
        picture_sha256: picture ? sha256(picture).toString("hex") : null,
        messages,
      },
    ];
  });
}

function ask(phone: PhoneDependencies, queryId: string, variables: object, path: string): Outcome<Record<string, unknown>> {
  const answer: BinaryNode = phone.link.request(
    node("iq", { to: SERVER, type: "get", xmlns: "w:mex", id: phone.link.nextId() }, [
      node("query", { query_id: queryId }, Buffer.from(JSON.stringify({ variables }))),
    ]),
  );
  const text = bytesOf(child(answer, "result"))?.toString() ?? "{}";
  const { data, errors } = JSON.parse(text) as {
    data?: Record<string, Record<string, unknown> | null>;
    errors?: Array<{ message?: string }>;
  };
  const found = data?.[path];
  return found ? done(found) : refused(404, "channel_refused", errors?.[0]?.message ?? "there is no such channel");
}
