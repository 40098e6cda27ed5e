// Sending from the page. What the network did not confirm is shown as uncertain, and never sent again by itself.
import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { api, type Request, upload } from "../../api/client.ts";
import { Refused } from "../../api/refused.ts";
import { announce } from "../../ui/toast.tsx";
import { useWords } from "../../words/words.ts";
import { refreshChats } from "./reads.ts";
import { CHATS } from "../../words/areas.ts";

type Send = Request<"POST /connections/{id}/messages">;
type Without<S> = S extends { kind: string } ? Omit<S, "id" | "chat_id" | "to" | "quoted_message_id"> : never;

/** What is sent, without where it goes. */
export type Sending = Without<Send>;

/** A send that the network did not confirm. `messageId` null: it is not known either. */
export type Uncertain = { messageId: string | null; text: string };

export type Sender = {
  /** Throws `Refused`; true also when the outcome is not known, which `uncertain` then says. */
  send: (sending: Sending) => Promise<void>;
  uncertain: Uncertain | null;
  settle: () => void;
};

export function useSend(id: string, chatId: string, quotedId: string | null): Sender {
  const words = useWords(CHATS);
  const client = useQueryClient();
  const [uncertain, setUncertain] = useState<Uncertain | null>(null);
  // The same for a repeated try of the same message that was not answered, so that it is sent once.
  const click = useRef({ of: "", id: "" });
  const send = async (sending: Sending) => {
    const request = { id, chat_id: chatId, ...(quotedId === null ? {} : { quoted_message_id: quotedId }), ...sending } as Send;
    const of = JSON.stringify(request);
    if (click.current.of !== of) click.current = { of, id: crypto.randomUUID() };
    try {
      await api("POST /connections/{id}/messages", request, { click: click.current.id });
      click.current = { of: "", id: "" };
      announce(words.status.sent);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (error.status !== 0 && error.status < 500) click.current = { of: "", id: "" };
      if (error.code !== "send_outcome_unknown") throw error;
      setUncertain({ messageId: messageIdIn(error), text: sending.kind === "text" ? sending.text : "" });
    } finally {
      void refreshChats(client);
    }
  };
  return { send, uncertain, settle: () => setUncertain(null) };
}

/** Uploads a file for a message of this connection. */
export async function uploaded(id: string, file: File): Promise<string> {
  const { data } = await upload("POST /connections/{id}/media", { id, filename: file.name }, file);
  return data.id;
}

function messageIdIn({ details }: Refused): string | null {
  const known = details === null || Array.isArray(details) ? null : (details as Record<string, unknown>)["message_id"];
  return typeof known === "string" ? known : null;
}
