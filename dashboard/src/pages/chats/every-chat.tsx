// Search results: messages from all chats that contain the text.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { reading } from "../../api/client.ts";
import { chatTitle, kindOfChat, phoneOfChat } from "../../domain/chats.ts";
import { CHATS } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";
import type { Message } from "./reads.ts";
import { Found, Marked, useFound, useSummary } from "./results.tsx";

export function EveryChat({ id, q }: { id: string; q: string }) {
  const texts = useTexts(CHATS);
  return (
    <section aria-label={texts.searchMessages} className="border-t border-line">
      <h2 className="px-4 pt-3 text-sm text-soft">{texts.searchMessages}</h2>
      <Found found={useFound(id, null, { q })} none={texts.noMessages} className="px-4">
        {(messages) => (
          <ul>
            {messages.map((message) => (
              <li key={`${message.chat_id} ${message.message_id}`}>
                <Result id={id} message={message} q={q} />
              </li>
            ))}
          </ul>
        )}
      </Found>
    </section>
  );
}

function Result({ id, message, q }: { id: string; message: Message; q: string }) {
  const texts = useTexts(CHATS);
  const { chat_id } = message;
  const { what, when } = useSummary(id)(message);
  const { data } = useQuery(reading("GET /connections/{id}/chats/{chat_id}", { id, chat_id }));
  const known = data?.data?.chat_id === chat_id ? data.data : null;
  const kind = kindOfChat(chat_id);
  const title = chatTitle({ kind, name: known?.name ?? null, phone: known?.phone ?? phoneOfChat(chat_id) }, texts.hidden);
  return (
    <Link
      to="/connections/$id/chats/$chat"
      params={{ id, chat: chat_id }}
      search={{ q, at: message.message_id }}
      className="grid min-h-14 gap-0.5 px-4 py-2 hover:bg-tint focus-visible:-outline-offset-2"
    >
      <span className="flex items-baseline gap-2">
        <span dir="auto" className="private min-w-0 grow truncate">
          {title}
        </span>
        <span className="shrink-0 text-sm text-soft">{when}</span>
      </span>
      <span dir="auto" className="private line-clamp-2 text-sm break-words text-soft">
        {message.from_me && `${texts.you}: `}
        <Marked text={what} q={q} />
      </span>
    </Link>
  );
}
