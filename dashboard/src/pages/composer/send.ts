// Sends everything except texts. A message that the network did not confirm is shown as uncertain and is never resent automatically.
import { api, type Request } from "../../api/client.ts";
import { queries } from "../../api/cache.ts";
import { Refused } from "../../api/refused.ts";
import { upload } from "../../api/upload.ts";
import { announce } from "../../ui/toast.tsx";
import { useTexts } from "../../texts/catalog.ts";
import { refreshChats } from "../chats/reads.ts";
import { hold, release } from "./losable.ts";
import { CHATS } from "../../texts/catalogs.ts";
import { failed } from "../../domain/messages/outgoing.ts";
import { outgoingOf } from "../chats/deliver-texts.ts";
import { keep } from "../chats/drafts-store.ts";

type Send = Request<"POST /connections/{id}/messages">;
type Without<S> = S extends { kind: string } ? Omit<S, "id" | "chat_id" | "to" | "quoted_message_id"> : never;

export type Sending = Without<Send>;

/** Where a message goes. `quotedId` is the message that it replies to. */
export type Target = { id: string; chatId: string; quotedId: string | null };

type Sender = {
  /** Throws `Refused` if the message was not sent. If the outcome is unknown, resolves, and the message is kept as uncertain. */
  send: (sending: Sending) => Promise<void>;
  sendFile: (file: File, sendingOf: (media: string) => Sending, uploading?: Uploading) => Promise<void>;
};

type Uploading = {
  /** Once it is aborted, `sendFile` throws its reason, unless the message is already being sent. */
  signal: AbortSignal;
  /** Called with the uploaded part, from 0 to 1, and with null once the message is being sent. */
  onProgress: (sent: number | null) => void;
};

/** Idempotency keys by message, reused when the same message is sent again because no response arrived. */
const keys = new Map<string, string>();
const uploads = new WeakMap<File, string>();

export function useSend({ id, chatId, quotedId }: Target): Sender {
  const texts = useTexts(CHATS);
  const send = async (sending: Sending) => {
    const request = { id, chat_id: chatId, ...(quotedId === null ? {} : { quoted_message_id: quotedId }), ...sending } as Send;
    const written = JSON.stringify(request);
    const idempotencyKey = keys.get(written) ?? crypto.randomUUID();
    keys.set(written, idempotencyKey);
    try {
      const { data } = await api("POST /connections/{id}/messages", request, { idempotencyKey });
      keys.delete(written);
      // For scheduled messages, the caller shows the confirmation itself.
      if (!("delivery" in sending)) announce(data.waits ? texts.later.held : texts.status.sent);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (!mayBeRepeated(error)) keys.delete(written);
      if (error.code !== "send_outcome_unknown") throw error;
      keep(id, chatId, failed(outgoingOf("", null), error));
    } finally {
      void refreshChats(queries);
    }
  };
  const sendFile = async (file: File, sendingOf: (media: string) => Sending, uploading?: Uploading) => {
    hold(file);
    try {
      // A retry after a missing response reuses the uploaded file.
      const media = uploads.get(file) ?? (await uploaded(id, file, uploading));
      uploads.set(file, media);
      uploading?.signal.throwIfAborted();
      uploading?.onProgress(null);
      await send(sendingOf(media));
    } catch (error) {
      if (error instanceof Refused && !mayBeRepeated(error)) uploads.delete(file);
      throw error;
    } finally {
      release(file);
    }
  };
  return { send, sendFile };
}

/** True if a retry must use the same key: the request may have been processed, or was refused (401, 429) before the key was looked up. */
function mayBeRepeated({ status }: { status: number }): boolean {
  return status === 0 || status >= 500 || status === 401 || status === 429;
}

async function uploaded(id: string, file: File, uploading?: Uploading): Promise<string> {
  const { data } = await upload("POST /connections/{id}/media", { id, filename: file.name || undefined }, file, uploading ?? {});
  return data.id;
}
