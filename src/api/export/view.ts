// Records of an export: people as phone numbers, times as ISO 8601, files as links.
import { mediaLink } from "@gateway/domain/media/media-link.ts";
import { isoOfMs, isoOfMsOrNull, isoOfSeconds } from "../../http/times.ts";
import type { Person } from "@gateway/protocol/ids.ts";
import type { StoredMedia } from "@gateway/protocol/message.ts";
import type { ExportItem } from "@gateway/protocol/operations/instance.ts";
import { renderInstance } from "../instances/view.ts";
import { type AccountContext, rowOf } from "../context.ts";
import { VIEWS } from "../account/style.ts";

type Kind = ExportItem["kind"];
type RecordOf<K extends Kind> = Extract<ExportItem, { kind: K }>["record"];
type Renderers = { [K in Kind]: (record: RecordOf<K>, context: AccountContext) => object | Promise<object> };

export async function renderExported(item: ExportItem, context: AccountContext) {
  const render = RENDERERS[item.kind] as (
    record: unknown,
    context: AccountContext,
  ) => Record<string, unknown> | Promise<Record<string, unknown>>;
  return { kind: item.kind, record: await render(item.record, context) };
}

const phoneOf = (person: Person | null): string | null => person?.phone ?? null;

function linkOf(media: StoredMedia | null, context: AccountContext): string | null {
  return media === null || media.token === null ? null : mediaLink(context.appUrl, media.token, media.mimetype);
}

const RENDERERS: Renderers = {
  instance: async ({ instance, keys, webhook }, context) => ({
    ...renderInstance(await rowOf(context), instance),
    connection_id: instance.id,
    connection_keys: keys.map(({ created_at, last_used_at, ...key }) => ({
      ...key,
      created_at: isoOfMs(created_at),
      last_used_at: isoOfMsOrNull(last_used_at),
    })),
    connection_webhook:
      webhook === null
        ? null
        : {
            ...webhook,
            disabled_at: isoOfMsOrNull(webhook.disabled_at),
            last_success_at: isoOfMsOrNull(webhook.last_success_at),
            created_at: isoOfMs(webhook.created_at),
          },
  }),
  label: (label) => label,
  contact: ({ person, picture, updated_at, ...contact }, context) => ({
    ...contact,
    phone: phoneOf(person),
    picture_url: linkOf(picture, context),
    updated_at: isoOfMs(updated_at),
  }),
  group: ({ owner, created_at, participants = [], ...group }) => ({
    ...group,
    owner: phoneOf(owner),
    created_at: isoOfMsOrNull(created_at),
    participants: participants.map(({ person, name, role }) => ({ phone: phoneOf(person), name, role })),
  }),
  channel: ({ picture, created_at, ...channel }, context) => ({
    ...channel,
    picture_url: linkOf(picture, context),
    created_at: isoOfMsOrNull(created_at),
  }),
  chat: ({ person, picture, last_message: _last, updated_at, ...chat }, context) => ({
    ...chat,
    phone: phoneOf(person),
    picture_url: linkOf(picture, context),
    updated_at: isoOfMs(updated_at),
  }),
  call: ({ from, timestamp, ...call }) => ({ ...call, phone: phoneOf(from), timestamp: isoOfSeconds(timestamp) }),
  message: (message, context) => VIEWS.message.show(message, context),
};
