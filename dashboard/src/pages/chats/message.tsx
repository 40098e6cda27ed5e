import { dateFormat } from "../../domain/formats.ts";
import { useQueryClient } from "@tanstack/react-query";
import { Check, CheckCheck, Clock3, Ellipsis, TriangleAlert } from "lucide-react";
import { useCallback, useState } from "react";
import { api } from "../../api/client.ts";
import { Refused, refusalText } from "../../api/refused.ts";
import { mayEdit } from "../../domain/chats.ts";
import { groupedPhone } from "../../domain/phone.ts";
import { useNow } from "../../ui/clock.ts";
import { ConfirmDialog, FormDialog } from "../../ui/forms/form-dialog.tsx";
import { TextArea, textOf, useForm } from "../../ui/forms/field.tsx";
import { Menu, type MenuItem } from "../../ui/menu.tsx";
import { PhoneNumber } from "../../ui/phone.tsx";
import { useCopy } from "../../ui/code/copy.tsx";
import { toast } from "../../ui/toast.tsx";
import { locale, useLanguage } from "../../texts/language.ts";
import { useTexts } from "../../texts/catalog.ts";
import { FileOf } from "./file.tsx";
import { type Message, refreshChats, useMissingFeatures } from "./reads.ts";
import { CHATS } from "../../texts/catalogs.ts";

const REACTIONS = ["👍", "❤️", "😂", "😮", "😢", "🙏"] as const;

type BubbleProps = { message: Message; id: string; mayWrite: boolean; onReply: (message: Message) => void };

export function Bubble({ message, id, mayWrite, onReply }: BubbleProps) {
  const texts = useTexts(CHATS);
  const language = useLanguage();
  const { from_me: own, status, error } = message;
  const { isOpen, tapped } = useTap();
  const time = dateFormat(locale(language), { hour: "2-digit", minute: "2-digit" }).format(new Date(message.at));
  return (
    <article
      data-message={message.message_id}
      aria-label={`${own ? texts.you : (message.push_name ?? "")} ${time}`.trim()}
      data-open={isOpen || undefined}
      className={`group relative flex max-w-[85%] min-w-0 items-start gap-1 ${own ? "flex-row-reverse justify-self-end" : "justify-self-start"}`}
    >
      {/* On a phone, a tap shows the message's source and its menu button. */}
      <div
        ref={tapped}
        className={`grid min-w-0 gap-1 rounded-lg px-3 py-1.5 ${own ? "rounded-br-md bg-own" : "rounded-bl-md bg-surface"}`}
      >
        {!own && message.chat_id.endsWith("@g.us") && (
          <p className="private text-sm font-semibold">
            {message.push_name ?? texts.hidden.direct}
            {message.from !== null && (
              <span className="font-normal text-soft">
                {" "}
                <PhoneNumber digits={message.from} />
              </span>
            )}
          </p>
        )}
        {message.forwarded && <p className="text-sm text-soft">{texts.forwarded}</p>}
        {message.quoted !== null && <Quote text={message.quoted.text} type={message.quoted.type} own={message.quoted.from_me} />}
        <Content message={message} id={id} />
        {message.reactions.length > 0 && (
          <p className="text-sm">
            <span className="sr-only">{texts.reactions}: </span>
            {message.reactions.map(({ reaction }) => reaction).join(" ")}
          </p>
        )}
        <p className="flex flex-wrap items-center justify-end gap-x-2 text-sm text-soft">
          {message.source !== null && (
            <span className="max-[899px]:hidden max-[899px]:group-data-open:inline">{texts.sources[message.source]}</span>
          )}
          {message.edited_at !== null && <span>{texts.edited}</span>}
          <time dateTime={message.at}>{time}</time>
          {own && status !== null && <Ticks status={status} />}
        </p>
        {status === "failed" && error !== null && (
          <p className="text-sm text-bad">
            {refusalText(new Refused(error, { status: 0 }), language)}
            {(error === "new_chat_refused" || error === "temporarily_blocked") && ` ${texts.dontInsist}`}
          </p>
        )}
      </div>
      {message.deleted_at === null && <Actions message={message} id={id} mayWrite={mayWrite} onReply={onReply} />}
    </article>
  );
}

/** Not a button: keyboard and screen reader users have the menu itself. */
function useTap() {
  const [isOpen, setOpen] = useState(false);
  const tapped = useCallback((element: HTMLElement | null) => {
    const toggle = () => setOpen((before) => !before);
    element?.addEventListener("click", toggle);
    return () => element?.removeEventListener("click", toggle);
  }, []);
  return { isOpen, tapped };
}

type Status = NonNullable<Message["status"]>;

/** The status is also given in words, for screen readers. */
export function Ticks({ status }: { status: Status }) {
  const texts = useTexts(CHATS);
  const Icon = { pending: Clock3, sent: Check, delivered: CheckCheck, read: CheckCheck, played: CheckCheck, failed: TriangleAlert }[status];
  const tone = status === "read" || status === "played" ? "text-good" : status === "failed" ? "text-bad" : "";
  return (
    <span className={`inline-flex items-center gap-1 ${tone}`} data-status={status} title={texts.status[status]}>
      <Icon size={15} aria-hidden />
      <span className={status === "failed" || status === "read" || status === "played" ? "" : "sr-only"}>{texts.status[status]}</span>
    </span>
  );
}

export function Quote({ text, type, own }: { text: string | null; type: string; own: boolean }) {
  const texts = useTexts(CHATS);
  return (
    <blockquote className="private min-w-0 border-l-2 border-edge bg-tint px-2 py-1 text-sm">
      {own && <span className="font-semibold">{texts.you}: </span>}
      <span dir="auto" className="line-clamp-2 break-words">
        {text ?? typeName(texts.types, type)}
      </span>
    </blockquote>
  );
}

function typeName(types: Readonly<Record<string, string>>, type: string): string {
  return Object.hasOwn(types, type) ? (types[type] ?? type) : type;
}

function Content({ message, id }: { message: Message; id: string }) {
  const texts = useTexts(CHATS);
  const { text, media, location, contacts, poll, type } = message;
  if (message.deleted_at !== null) return <p className="text-soft italic">{texts.deleted}</p>;
  return (
    <div className="private grid min-w-0 grid-cols-1 gap-1">
      {media !== null && <FileOf message={message} id={id} />}
      {location !== null && (
        <p>
          <span className="font-semibold">{location.name ?? texts.types.location}</span>
          <br />
          {location.address !== null && (
            <>
              {location.address}
              <br />
            </>
          )}
          <code>
            {location.latitude}, {location.longitude}
          </code>
        </p>
      )}
      {contacts?.map(({ full_name, phone }) => (
        <p key={`${full_name} ${phone ?? ""}`}>
          <span className="font-semibold">{full_name}</span>
          {phone !== null && <> {groupedPhone(phone)}</>}
        </p>
      ))}
      {poll !== null && (
        <div>
          <p className="font-semibold">{poll.question}</p>
          <ul className="list-disc pl-5">
            {poll.options.map((option) => (
              <li key={option}>{option}</li>
            ))}
          </ul>
        </div>
      )}
      {text !== null && poll === null && (
        <p dir="auto" className="whitespace-pre-wrap break-words">
          {text}
        </p>
      )}
      {text === null && media === null && location === null && contacts === null && poll === null && (
        <p className="text-soft">{typeName(texts.types, type)}</p>
      )}
    </div>
  );
}

function Actions({ message, id, mayWrite, onReply }: BubbleProps) {
  const texts = useTexts(CHATS);
  const language = useLanguage();
  const client = useQueryClient();
  const { copy } = useCopy();
  const now = useNow();
  const [open, setOpen] = useState<"edit" | "remove" | null>(null);
  const missing = useMissingFeatures(id);
  const { chat_id, message_id, text, from_me: own } = message;
  const target = { id, chat_id, message_id };
  const react = async (reaction: string) => {
    try {
      await api("PUT /connections/{id}/chats/{chat_id}/messages/{message_id}/reaction", { ...target, reaction });
      await refreshChats(client);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      toast(refusalText(error, language), { kind: "bad" });
    }
  };
  const mine = message.reactions.find(({ from_me }) => from_me)?.reaction;
  const items: MenuItem[] = [];
  if (mayWrite) items.push({ label: texts.reply, onSelect: () => onReply(message) });
  if (text !== null) items.push({ label: texts.copyText, onSelect: () => copy(text, document.body) });
  if (mayWrite) {
    for (const emoji of REACTIONS) if (emoji !== mine) items.push({ label: texts.react(emoji), onSelect: () => void react(emoji) });
    if (mine !== undefined) items.push({ label: texts.unreact, onSelect: () => void react("") });
    if (!missing.includes("edit") && mayEdit(message, now)) items.push({ label: texts.edit, onSelect: () => setOpen("edit") });
    if (!missing.includes("delete") && own && message.status !== "failed")
      items.push({ label: texts.remove, danger: true, onSelect: () => setOpen("remove") });
  }
  if (items.length === 0) return null;
  return (
    <>
      <Menu
        label={<Ellipsis size={16} aria-hidden />}
        name={texts.actions(own ? texts.you : (message.push_name ?? texts.hidden.direct))}
        items={items}
        kind="quiet"
        align={own ? "end" : "start"}
        className={`w-11 shrink-0 !px-0 pointer-fine:w-9 opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 group-data-open:opacity-100 max-[899px]:absolute max-[899px]:top-0 ${own ? "max-[899px]:right-full" : "max-[899px]:left-full"}`}
        bare
      />
      {open === "edit" && <Edit message={message} id={id} onClose={() => setOpen(null)} />}
      <ConfirmDialog
        open={open === "remove"}
        onClose={() => setOpen(null)}
        title={texts.removeTitle}
        lost={<p>{texts.removeLost}</p>}
        action={texts.remove}
        onConfirm={async () => {
          await api("DELETE /connections/{id}/chats/{chat_id}/messages/{message_id}", target);
          toast(texts.removed);
          await refreshChats(client);
        }}
      />
    </>
  );
}

function Edit({ message: { chat_id, message_id, text }, id, onClose }: { message: Message; id: string; onClose: () => void }) {
  const texts = useTexts(CHATS);
  const client = useQueryClient();
  const form = useForm(async (fields, click) => {
    const change = { id, chat_id, message_id, text: textOf(fields, "text") };
    await api("PUT /connections/{id}/chats/{chat_id}/messages/{message_id}", change, { click });
    onClose();
    await refreshChats(client);
  });
  return (
    <FormDialog title={texts.editing} form={form} submit={texts.save} onClose={onClose}>
      <TextArea label={texts.types.text} name="text" defaultValue={text ?? ""} required characters={65_536} data-autofocus rows={5} />
    </FormDialog>
  );
}
