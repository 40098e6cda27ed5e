// Searches this chat by text, or shows its messages with files or its starred messages.
import { AudioLines, FileText, Film, type LucideIcon } from "lucide-react";
import { useDeferredValue, useState } from "react";
import { authorOf } from "../../domain/messages/author.ts";
import { addressFor } from "../../api/client.ts";
import { Drawer } from "../../ui/dialog.tsx";
import { TextField } from "../../ui/forms/field.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { CHATS } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";
import type { Message } from "./reads.ts";
import { Found, Marked, useFound, useSummary } from "./results.tsx";

export type LookUpTab = "search" | "files" | "starred";
type LookUpProps = { id: string; chatId: string; first: LookUpTab; onJump: (messageId: string) => void; onClose: () => void };
type Jump = { onJump: (messageId: string) => void };

export function LookUp({ id, chatId, first, onJump, onClose }: LookUpProps) {
  const texts = useTexts(CHATS).lookUp;
  const [tab, setTab] = useState<string>(first);
  const [typed, setTyped] = useState("");
  const q = useDeferredValue(typed.trim());
  const jump = (messageId: string) => {
    onClose();
    onJump(messageId);
  };
  const tabs = [
    {
      id: "search",
      label: texts.search,
      content: (
        <div className="grid gap-3">
          <TextField
            label={texts.field}
            name="q"
            type="search"
            autoComplete="off"
            value={typed}
            data-autofocus
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          />
          {q === "" ? <p className="text-soft">{texts.first}</p> : <Texts id={id} chatId={chatId} q={q} onJump={jump} />}
        </div>
      ),
    },
    { id: "files", label: texts.files, content: <Files id={id} chatId={chatId} onJump={jump} /> },
    { id: "starred", label: texts.starred, content: <Starred id={id} chatId={chatId} onJump={jump} /> },
  ];
  return (
    <Drawer open onClose={onClose} title={texts.title}>
      <Tabs label={texts.tabs} tabs={tabs} chosen={tab} onChoose={setTab} />
    </Drawer>
  );
}

type InChat = Jump & { id: string; chatId: string };

function Texts({ id, chatId, q, onJump }: InChat & { q: string }) {
  const texts = useTexts(CHATS);
  return (
    <Found found={useFound(id, chatId, { q })} none={texts.noMessages}>
      {(messages) => <Rows id={id} messages={messages} q={q} onJump={onJump} />}
    </Found>
  );
}

function Starred({ id, chatId, onJump }: InChat) {
  const texts = useTexts(CHATS).lookUp;
  return (
    <Found found={useFound(id, chatId, { only: "starred" })} none={texts.noStarred}>
      {(messages) => <Rows id={id} messages={messages} q="" onJump={onJump} />}
    </Found>
  );
}

function Rows({ id, messages, q, onJump }: Jump & { id: string; messages: readonly Message[]; q: string }) {
  const texts = useTexts(CHATS);
  const summary = useSummary(id);
  return (
    <ul className="grid">
      {messages.map((message) => {
        const { what, when } = summary(message);
        return (
          <li key={message.message_id}>
            <button
              type="button"
              onClick={() => onJump(message.message_id)}
              className="grid min-h-11 w-full gap-0.5 rounded-md px-2 py-2 text-left hover:bg-tint focus-visible:-outline-offset-2"
            >
              <span className="text-sm text-soft">
                {message.from_me ? texts.you : authorOf(message, texts.hidden)} · {when}
              </span>
              <span dir="auto" className="private line-clamp-2 break-words">
                <Marked text={what} q={q} />
              </span>
            </button>
          </li>
        );
      })}
    </ul>
  );
}

const ICONS: Readonly<Record<string, LucideIcon>> = { video: Film, audio: AudioLines, voice: AudioLines };

function Files({ id, chatId, onJump }: InChat) {
  const texts = useTexts(CHATS).lookUp;
  const summary = useSummary(id);
  return (
    <Found found={useFound(id, chatId, { only: "files" })} none={texts.noFiles}>
      {(messages) => (
        <ul className="grid grid-cols-[repeat(auto-fill,minmax(6.5rem,1fr))] gap-2">
          {messages.map((message) => {
            const { what, when } = summary(message);
            const { chat_id, message_id, type, media } = message;
            const Icon = ICONS[type] ?? FileText;
            return (
              <li key={message_id}>
                <button
                  type="button"
                  aria-label={texts.goTo(what, when)}
                  onClick={() => onJump(message_id)}
                  className="private grid aspect-square w-full content-center justify-items-center gap-1 overflow-hidden rounded-md bg-tint hover:brightness-95"
                >
                  {type === "image" && media?.stored === true ? (
                    <img
                      src={addressFor("GET /connections/{id}/chats/{chat_id}/messages/{message_id}/media", { id, chat_id, message_id })}
                      alt=""
                      loading="lazy"
                      className="size-full object-cover"
                    />
                  ) : (
                    <>
                      <Icon size={24} aria-hidden className="text-soft" />
                      <span className="line-clamp-2 max-w-full px-1 text-center text-sm break-words">{what}</span>
                    </>
                  )}
                </button>
              </li>
            );
          })}
        </ul>
      )}
    </Found>
  );
}
