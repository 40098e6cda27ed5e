// Dialogs opened from a message's menu. They load when the first one opens.
import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { api } from "../../api/client.ts";
import { chatTitle } from "../../domain/chats.ts";
import { ConfirmDialog, FormDialog } from "../../ui/forms/form-dialog.tsx";
import { TextArea, TextField, textOf, useForm } from "../../ui/forms/field.tsx";
import { Check } from "../../ui/forms/tick.tsx";
import { NearEdge } from "../../ui/near-edge.tsx";
import { Query } from "../../ui/states.tsx";
import { toast } from "../../ui/toast.tsx";
import { CHATS } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";
import { type Message, refreshChats, useChats } from "./reads.ts";

type DialogProps = { message: Message; id: string; onClose: () => void };

export function MessageDialog({ kind, ...rest }: DialogProps & { kind: "edit" | "remove" | "forward" }) {
  if (kind === "edit") return <Edit {...rest} />;
  return kind === "remove" ? <Remove {...rest} /> : <Forward {...rest} />;
}

function Edit({ message: { chat_id, message_id, text }, id, onClose }: DialogProps) {
  const texts = useTexts(CHATS);
  const client = useQueryClient();
  const form = useForm(async (fields, idempotencyKey) => {
    const change = { id, chat_id, message_id, text: textOf(fields, "text") };
    await api("PUT /connections/{id}/chats/{chat_id}/messages/{message_id}", change, { idempotencyKey });
    onClose();
    await refreshChats(client);
  });
  return (
    <FormDialog title={texts.editing} form={form} submit={texts.save} onClose={onClose}>
      <TextArea label={texts.types.text} name="text" defaultValue={text ?? ""} required characters={65_536} data-autofocus rows={5} />
    </FormDialog>
  );
}

function Remove({ message: { chat_id, message_id }, id, onClose }: DialogProps) {
  const texts = useTexts(CHATS);
  const client = useQueryClient();
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={texts.removeTitle}
      lost={<p>{texts.removeLost}</p>}
      action={texts.remove}
      onConfirm={async () => {
        await api("DELETE /connections/{id}/chats/{chat_id}/messages/{message_id}", { id, chat_id, message_id });
        toast(texts.removed);
        await refreshChats(client);
      }}
    />
  );
}

/** The same limit as in the network's own apps. */
const MAX_CHATS = 5;

function Forward({ message: { chat_id, message_id }, id, onClose }: DialogProps) {
  const texts = useTexts(CHATS);
  const client = useQueryClient();
  const [q, setQ] = useState("");
  const [chosen, setChosen] = useState<ReadonlyMap<string, string>>(new Map());
  const [isNone, setNone] = useState(false);
  // A retry after a failure skips the chats that already have the message. For the others, the request can be repeated safely.
  const done = useRef(new Set<string>());
  const keys = useRef(new Map<string, string>());
  const chats = useChats(id, q);
  const form = useForm(async () => {
    setNone(chosen.size === 0);
    if (chosen.size === 0) return;
    for (const to of chosen.keys()) {
      if (done.current.has(to)) continue;
      const idempotencyKey = keys.current.get(to) ?? crypto.randomUUID();
      keys.current.set(to, idempotencyKey);
      const request = { id, kind: "forward" as const, chat_id: to, source: { chat_id, message_id } };
      await api("POST /connections/{id}/messages", request, { idempotencyKey });
      done.current.add(to);
    }
    onClose();
    toast(texts.forwardedTo(chosen.size));
    await refreshChats(client);
  });
  return (
    <FormDialog title={texts.forwardTo} form={form} submit={texts.forward} onClose={onClose}>
      <TextField
        label={texts.search}
        name="q"
        type="search"
        autoComplete="off"
        hint={texts.forwardHint(MAX_CHATS)}
        data-autofocus
        {...(isNone ? { error: texts.forwardNone } : {})}
        onInput={({ currentTarget }) => setQ(currentTarget.value.trim())}
      />
      <Query result={{ ...chats, isPlaceholderData: false }} lines={5}>
        {({ pages }) => {
          const all = pages.flatMap(({ data }) => data);
          if (all.length === 0) return <p className="text-soft">{texts.noneFound}</p>;
          return (
            <div className="private grid max-h-72 gap-1 overflow-y-auto">
              {all.map((chat) => {
                const title = chatTitle(chat, texts.hidden);
                return (
                  <Check
                    key={chat.chat_id}
                    label={title}
                    checked={chosen.has(chat.chat_id)}
                    disabled={chosen.size === MAX_CHATS && !chosen.has(chat.chat_id)}
                    onChange={({ target }) => {
                      const next = new Map(chosen);
                      if (target.checked) next.set(chat.chat_id, title);
                      else next.delete(chat.chat_id);
                      setChosen(next);
                      setNone(false);
                    }}
                  />
                );
              })}
              {chats.hasNextPage && <NearEdge label={texts.moreChats} more={chats} />}
            </div>
          );
        }}
      </Query>
      <p role="status" className="private text-sm text-soft empty:hidden">
        {[...chosen.values()].join(", ")}
      </p>
    </FormDialog>
  );
}
