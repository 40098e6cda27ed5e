// Sends messages. A message that the network did not confirm is shown as uncertain and is never resent automatically.
import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { api, type Request, upload } from "../../api/client.ts";
import { sizeText } from "../../domain/formats.ts";
import { Refused } from "../../api/refused.ts";
import { announce, toast } from "../../ui/toast.tsx";
import { useTexts } from "../../texts/catalog.ts";
import { refreshChats } from "./reads.ts";
import { CHATS } from "../../texts/catalogs.ts";

const MAX_BYTES = 26_214_400;

/** Reports that a file is too large, with its name and size. */
export type TooLarge = (name: string, size: string) => string;

type Send = Request<"POST /connections/{id}/messages">;
type Without<S> = S extends { kind: string } ? Omit<S, "id" | "chat_id" | "to" | "quoted_message_id"> : never;

export type Sending = Without<Send>;

/** `messageId` is null if even the id is unknown. */
export type Uncertain = { messageId: string | null; text: string };

export type Sender = {
  /** Throws `Refused`. If the outcome is unknown, it resolves and adds the message to `uncertain`. */
  send: (sending: Sending) => Promise<void>;
  sendFile: (file: File, sendingOf: (media: string) => Sending) => Promise<void>;
  uncertain: readonly Uncertain[];
  settle: (which: Uncertain) => void;
};

export function useSend(id: string, chatId: string, quotedId: string | null): Sender {
  const texts = useTexts(CHATS);
  const client = useQueryClient();
  const [uncertain, setUncertain] = useState<readonly Uncertain[]>([]);
  // Reuses the idempotency key when the same message is sent again because no response arrived.
  const clicks = useRef(new Map<string, string>());
  const uploads = useRef(new WeakMap<File, string>());
  const send = async (sending: Sending) => {
    const request = { id, chat_id: chatId, ...(quotedId === null ? {} : { quoted_message_id: quotedId }), ...sending } as Send;
    const of = JSON.stringify(request);
    const click = clicks.current.get(of) ?? crypto.randomUUID();
    clicks.current.set(of, click);
    try {
      const { data } = await api("POST /connections/{id}/messages", request, { click });
      clicks.current.delete(of);
      // For scheduled messages, the caller shows the confirmation itself.
      if (!("delivery" in sending)) announce(data.waits ? texts.later.held : texts.status.sent);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (!wasNotAnswered(error)) clicks.current.delete(of);
      if (error.code !== "send_outcome_unknown") throw error;
      const lost = { messageId: messageIdIn(error), text: sending.kind === "text" ? sending.text : "" };
      setUncertain((before) => [...before, lost]);
    } finally {
      void refreshChats(client);
    }
  };
  const sendFile = async (file: File, sendingOf: (media: string) => Sending) => {
    // A retry after a missing response reuses the uploaded file.
    const media = uploads.current.get(file) ?? (await uploaded(id, file));
    uploads.current.set(file, media);
    try {
      await send(sendingOf(media));
    } catch (error) {
      if (!(error instanceof Refused && wasNotAnswered(error))) uploads.current.delete(file);
      throw error;
    }
  };
  return { send, sendFile, uncertain, settle: (which) => setUncertain((before) => before.filter((each) => each !== which)) };
}

/** Returns true if the response is inconclusive, because the server may still have processed the request. */
function wasNotAnswered({ status }: Refused): boolean {
  return status === 0 || status >= 500;
}

async function uploaded(id: string, file: File): Promise<string> {
  const { data } = await upload("POST /connections/{id}/media", { id, filename: file.name }, file);
  return data.id;
}

/** Returns the id of the message if it was stored although its send failed. */
export function messageIdIn({ details }: Refused): string | null {
  const known = details === null || Array.isArray(details) ? null : (details as Record<string, unknown>)["message_id"];
  return typeof known === "string" ? known : null;
}

/** Returns the files that are not too large, and reports the others. */
export function sendable(files: readonly File[], tooLarge: TooLarge): File[] {
  const large = files.filter(({ size }) => size > MAX_BYTES);
  for (const { name, size } of large) toast(tooLarge(name, sizeText(size)), { kind: "bad" });
  return files.filter((file) => !large.includes(file));
}
