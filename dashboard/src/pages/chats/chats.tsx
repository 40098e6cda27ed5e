import { useQuery } from "@tanstack/react-query";
import { Link, Outlet, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { MessageSquarePlus, Pin, Search } from "lucide-react";
import { useDeferredValue, useEffect, useState } from "react";
import { api, reading } from "../../api/client.ts";
import { chatTitle, typedPhone } from "../../domain/chats.ts";
import { Button } from "../../ui/button.tsx";
import { PageTitle } from "../../ui/heading.tsx";
import { Pager } from "../../ui/pager.tsx";
import { useRole } from "../../ui/role-gate.tsx";
import { Empty, Query } from "../../ui/states.tsx";
import { When } from "../../ui/when.tsx";
import { useTexts } from "../../texts/catalog.ts";
import { type Chat, useChats, useMissingFeatures, useLiveChats } from "./reads.ts";
import { CHATS } from "../../texts/catalogs.ts";
import { FormDialog } from "../../ui/forms/form-dialog.tsx";
import { TextField, textOf, useForm } from "../../ui/forms/field.tsx";

export function Chats() {
  const texts = useTexts(CHATS);
  const { id } = useParams({ from: "/in/connections/$id/chats" });
  const { chat } = useParams({ strict: false });
  const { operatorOnly } = useRole();
  const [starting, setStarting] = useState(false);
  const { data } = useQuery(reading("GET /connections/{id}", { id }));
  const isOnline = data?.data.status === "connected";
  useLiveChats();
  return (
    <>
      <div className={`flex flex-wrap items-center justify-between gap-3 ${chat === undefined ? "" : "max-[899px]:hidden"}`}>
        {chat === undefined ? <PageTitle>{texts.title}</PageTitle> : <p className="text-2xl font-semibold">{texts.title}</p>}
        <Button
          icon={MessageSquarePlus}
          why={operatorOnly ?? (isOnline ? undefined : texts.readOnlyOffline)}
          onClick={() => setStarting(true)}
        >
          {texts.newChat}
        </Button>
      </div>
      <div className="grid min-w-0 items-start gap-4 min-[900px]:grid-cols-[18rem_minmax(0,1fr)]">
        <div className={chat === undefined ? "min-w-0" : "min-w-0 max-[899px]:hidden"}>
          <List id={id} />
        </div>
        <div className={chat === undefined ? "min-w-0 max-[899px]:hidden" : "min-w-0"}>
          {chat === undefined ? (
            <div className="rounded-md border border-line bg-surface">
              <Empty title={texts.choose} text={texts.chooseText} />
            </div>
          ) : (
            <Outlet />
          )}
        </div>
      </div>
      <NewChat id={id} open={starting} onClose={() => setStarting(false)} />
    </>
  );
}

function List({ id }: { id: string }) {
  const texts = useTexts(CHATS);
  const { q = "" } = useSearch({ from: "/in/connections/$id/chats" });
  const navigate = useNavigate();
  const [typed, setTyped] = useState(q);
  const wanted = useDeferredValue(typed.trim());
  useEffect(() => {
    if (wanted === q) return undefined;
    const timer = setTimeout(
      () => void navigate({ to: ".", search: wanted === "" ? {} : { q: wanted }, replace: true, resetScroll: false }),
      250,
    );
    return () => clearTimeout(timer);
  }, [wanted, q, navigate]);
  const chats = useChats(id, q);
  return (
    <section aria-label={texts.list} className="min-w-0 rounded-md border border-line bg-surface">
      <div className="relative border-b border-line p-2">
        <Search size={16} aria-hidden className="pointer-events-none absolute top-1/2 left-4 -translate-y-1/2 text-soft" />
        <input
          type="search"
          aria-label={texts.search}
          placeholder={texts.search}
          value={typed}
          maxLength={200}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          className="min-h-11 w-full rounded-md border border-edge bg-surface pr-3 pl-9 text-ink placeholder:text-soft pointer-fine:min-h-9"
        />
      </div>
      <Query result={{ ...chats, isPlaceholderData: false }} lines={6}>
        {({ pages }) => {
          const all = pages.flatMap(({ data }) => data);
          if (all.length === 0) return q === "" ? <Empty title={texts.none} text={texts.noneText} /> : <Empty title={texts.noneFound} />;
          return (
            <>
              <ul className="max-h-[70dvh] min-w-0 overflow-y-auto max-[899px]:max-h-none">
                {all.map((chat) => (
                  <li key={chat.chat_id}>
                    <Row id={id} chat={chat} q={q} />
                  </li>
                ))}
              </ul>
              {chats.hasNextPage && <Pager shown={all.length} hasMore onMore={chats.fetchNextPage} busy={chats.isFetchingNextPage} />}
            </>
          );
        }}
      </Query>
    </section>
  );
}

function Row({ id, chat, q }: { id: string; chat: Chat; q: string }) {
  const texts = useTexts(CHATS);
  const { last_message: last, unread_count, marked_unread } = chat;
  const isUnread = unread_count > 0 || marked_unread;
  const typed = last !== null && Object.hasOwn(texts.types, last.type) ? texts.types[last.type as keyof typeof texts.types] : last?.type;
  return (
    <Link
      to="/connections/$id/chats/$chat"
      params={{ id, chat: chat.chat_id }}
      search={q === "" ? {} : { q }}
      className="grid min-h-14 grid-cols-1 gap-0.5 border-b border-line px-3 py-2 hover:bg-tint aria-[current=page]:bg-tint"
    >
      <span className="flex items-baseline gap-2">
        <span dir="auto" className={`private min-w-0 grow truncate ${isUnread ? "font-semibold" : ""}`}>
          {chatTitle(chat, texts.hidden)}
        </span>
        {chat.pinned && (
          <>
            <Pin size={12} aria-hidden className="shrink-0 self-center text-soft" />
            <span className="sr-only">{texts.pinned}</span>
          </>
        )}
        <span className="shrink-0 text-sm text-soft">{last !== null && <When time={last.at} plain />}</span>
      </span>
      <span className="flex items-baseline gap-2 text-sm text-soft">
        <span dir="auto" className="private min-w-0 grow truncate">
          {last === null ? "" : `${last.from_me ? `${texts.you}: ` : ""}${last.text ?? typed ?? ""}`}
        </span>
        {isUnread && (
          <span className="shrink-0 rounded-full bg-accent px-2 font-semibold text-on-accent">
            <span aria-hidden>{unread_count === 0 ? "•" : unread_count}</span>
            <span className="sr-only">{unread_count === 0 ? texts.markedUnread : texts.unread(unread_count)}</span>
          </span>
        )}
      </span>
    </Link>
  );
}

type NewChatProps = { id: string; open: boolean; onClose: () => void };

/** Checks first, where possible, that the number is on the network: messages to numbers that do not exist hurt the sender's reputation. */
export function NewChat(props: NewChatProps) {
  return props.open ? <Opened {...props} /> : null;
}

function Opened({ id, onClose }: NewChatProps) {
  const texts = useTexts(CHATS);
  const navigate = useNavigate();
  const [missing, setMissing] = useState(false);
  const mayCheck = !useMissingFeatures(id).includes("check");
  const open = async (phone: string) => {
    onClose();
    await navigate({ to: "/connections/$id/chats/$chat", params: { id, chat: `${phone}@c.us` } });
  };
  const form = useForm(async (fields) => {
    const digits = typedPhone(textOf(fields, "phone")) ?? "";
    if (!mayCheck) return open(digits);
    const { data } = await api("GET /connections/{id}/contacts/check", { id, phone: digits });
    setMissing(data.phone === null);
    if (data.phone === null) return;
    return open(data.phone);
  });
  return (
    <FormDialog title={texts.newChat} form={form} submit={texts.open} onClose={onClose}>
      <p className="text-soft">{mayCheck ? texts.newChatText : texts.newChatCloud}</p>
      <TextField
        label={texts.number}
        name="phone"
        type="tel"
        inputMode="tel"
        autoComplete="off"
        required
        data-autofocus
        hint={texts.numberHint}
        {...(missing ? { error: texts.notOnNetwork } : {})}
        onInput={({ currentTarget }) => {
          setMissing(false);
          currentTarget.setCustomValidity(currentTarget.value === "" || typedPhone(currentTarget.value) !== null ? "" : texts.numberWrong);
        }}
      />
    </FormDialog>
  );
}
