// Baileys' `newsletterCreate` reads the picture of a channel that has none and throws, after the channel was created: whoever tries again
// makes another one (catalogue section 3, item 21b). This asks the same question and reads the answer as it is.
import { getBinaryNodeChildString, QueryIds, S_WHATSAPP_NET, XWAPaths, type NewsletterMetadata, type WASocket } from "baileys";
import { z } from "zod";

const text = z.object({ text: z.string() });
const Created = z.object({
  id: z.string(),
  thread_metadata: z.object({
    name: text,
    description: text.nullish(),
    creation_time: z.string().nullish(),
    invite: z.string().nullish(),
    subscribers_count: z.string().nullish(),
    verification: z.string().nullish(),
    picture: z.object({ id: z.string().nullish(), direct_path: z.string().nullish() }).nullish(),
  }),
});

export function repairChannelCreation(sock: WASocket): void {
  sock.newsletterCreate = async (name, description) => {
    const answer = await sock.query({
      tag: "iq",
      attrs: { id: sock.generateMessageTag(), type: "get", to: S_WHATSAPP_NET, xmlns: "w:mex" },
      content: [
        {
          tag: "query",
          attrs: { query_id: QueryIds.CREATE },
          content: Buffer.from(JSON.stringify({ variables: { input: { name, description: description ?? null } } })),
        },
      ],
    });
    return readCreated(getBinaryNodeChildString(answer, "result") ?? "null");
  };
}

function readCreated(json: string): NewsletterMetadata {
  const answer = z.object({ data: z.record(z.string(), z.unknown()).nullish() }).safeParse(JSON.parse(json));
  const created = Created.safeParse(answer.data?.data?.[XWAPaths.xwa2_newsletter_create]);
  if (!created.success) throw new Error("channel was not created");
  const { id, thread_metadata: thread } = created.data;
  return {
    id,
    name: thread.name.text,
    ...(thread.description ? { description: thread.description.text } : {}),
    ...(thread.invite ? { invite: thread.invite } : {}),
    ...(thread.creation_time ? { creation_time: Number(thread.creation_time) } : {}),
    ...(thread.subscribers_count ? { subscribers: Number(thread.subscribers_count) } : {}),
    ...(thread.picture?.direct_path
      ? { picture: { directPath: thread.picture.direct_path, ...(thread.picture.id ? { id: thread.picture.id } : {}) } }
      : {}),
  };
}
