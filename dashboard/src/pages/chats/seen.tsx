// Marks an open chat as read.
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { api } from "../../api/client.ts";
import { refreshChats, useChat } from "./reads.ts";

type SeenProps = { id: string; chatId: string; mayWrite: boolean; wasMarked: boolean | undefined };

/** If the phone marks this chat as unread while it is open here, the chat stays marked. */
export function Seen({ id, chatId, mayWrite, wasMarked }: SeenProps) {
  const client = useQueryClient();
  const { chat } = useChat(id, chatId);
  const [isReported, setReported] = useState(false);
  const unseen = mayWrite && (chat?.unread_count || (wasMarked && !isReported));
  useEffect(() => {
    if (!unseen) return undefined;
    const look = () => {
      if (document.visibilityState === "hidden") return;
      document.removeEventListener("visibilitychange", look);
      // If this fails, the next message triggers a retry.
      api("POST /connections/{id}/chats/{chat_id}/seen", { id, chat_id: chatId })
        .then(() => {
          setReported(true);
          return refreshChats(client);
        })
        .catch(() => undefined);
    };
    document.addEventListener("visibilitychange", look);
    look();
    return () => document.removeEventListener("visibilitychange", look);
  }, [unseen, id, chatId, client]);
  return null;
}
