// The dialog that forwards a message to other chats, the most recent of which are first.
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type KeyboardEvent, useRef, useState } from "react";
import { api } from "../../api/client.ts";
import { chatTitle } from "../../domain/chats.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { FormDialog } from "../../ui/forms/form-dialog.tsx";
import { TextField, useForm } from "../../ui/forms/field.tsx";
import { NearEdge } from "../../ui/near-edge.tsx";
import { Query } from "../../ui/states.tsx";
import { toast } from "../../ui/toast.tsx";
import { CHATS } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";
import { Quote } from "../message-content/quote.tsx";
import { type Chat, type Message, refreshChats, useChats } from "./reads.ts";

/** The same limit as in the network's own apps. */
const MAX_CHATS = 5;

type ForwardProps = { message: Message; id: string; onClose: () => void };

export function Forward({ message, id, onClose }: ForwardProps) {
  const texts = useTexts(CHATS);
  const client = useQueryClient();
  const navigate = useNavigate();
  const { chat_id, message_id } = message;
  const [q, setQ] = useState("");
  const [chosen, setChosen] = useState<ReadonlyMap<string, string>>(new Map());
  const [isNone, setNone] = useState(false);
  // A retry after a failure skips the chats that already have the message. For the others, the request can be repeated safely.
  const done = useRef(new Set<string>());
  const keys = useRef(new Map<string, string>());
  const chats = useChats(id, q);
  // Only its owner can write to a channel.
  const found = (chats.data?.pages ?? []).flatMap(({ data }) => data).filter(({ kind }) => kind !== "channel");
  const form = useForm(async () => {
    setNone(chosen.size === 0);
    const [first] = chosen.keys();
    if (first === undefined) return;
    for (const to of chosen.keys()) {
      if (done.current.has(to)) continue;
      const idempotencyKey = keys.current.get(to) ?? crypto.randomUUID();
      keys.current.set(to, idempotencyKey);
      const request = { id, kind: "forward" as const, chat_id: to, source: { chat_id, message_id } };
      await api("POST /connections/{id}/messages", request, { idempotencyKey });
      done.current.add(to);
    }
    onClose();
    const open = () => void navigate({ to: "/connections/$id/chats/$chat", params: { id, chat: first } });
    const isElsewhere = chosen.size === 1 && first !== chat_id;
    toast(texts.forwardedTo(chosen.size), isElsewhere ? { action: { label: texts.openChat, onSelect: open } } : {});
    await refreshChats(client);
  });
  const choose = (chat: Chat, isWanted: boolean) => {
    const next = new Map(chosen);
    if (isWanted) next.set(chat.chat_id, chatTitle(chat, texts.hidden));
    else next.delete(chat.chat_id);
    setChosen(next);
    setNone(false);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const [first] = found;
    // Enter chooses the chat that was searched for. The next one forwards.
    if (event.key !== "Enter" || q === "" || first === undefined || chosen.has(first.chat_id) || chosen.size === MAX_CHATS) return;
    event.preventDefault();
    choose(first, true);
  };
  return (
    <FormDialog title={texts.forwardTo} form={form} submit={texts.forward} onClose={onClose}>
      <Quote id={id} chatId={chat_id} quoted={message} />
      <TextField
        label={texts.search}
        name="q"
        type="search"
        autoComplete="off"
        hint={texts.forwardHint(MAX_CHATS)}
        data-autofocus
        {...(isNone ? { error: texts.forwardNone } : {})}
        onInput={({ currentTarget }) => setQ(currentTarget.value.trim())}
        onKeyDown={onKeyDown}
      />
      <Query result={{ ...chats, isPlaceholderData: false }} lines={5}>
        {() =>
          found.length === 0 ? (
            <p className="text-soft">{texts.noneFound}</p>
          ) : (
            <div className="private max-h-72 overflow-y-auto">
              {found.map((chat) => {
                const isChosen = chosen.has(chat.chat_id);
                return (
                  <label key={chat.chat_id} className="flex min-h-11 items-center gap-3 rounded-md px-2 py-1 hover:bg-tint">
                    <Avatar name={chat.name} group={chat.kind !== "direct"} small />
                    <span dir="auto" className="min-w-0 grow truncate">
                      {chatTitle(chat, texts.hidden)}
                    </span>
                    <input
                      type="checkbox"
                      checked={isChosen}
                      disabled={chosen.size === MAX_CHATS && !isChosen}
                      onChange={({ target }) => choose(chat, target.checked)}
                      className="size-[1.125rem] shrink-0 accent-accent"
                    />
                  </label>
                );
              })}
              {chats.hasNextPage && <NearEdge label={texts.moreChats} more={chats} />}
            </div>
          )
        }
      </Query>
      <p role="status" className="private text-sm text-soft empty:hidden">
        {[...chosen.values()].join(", ")}
      </p>
    </FormDialog>
  );
}
