// Details of a chat's contact or group, with links to its files, its starred messages and its search.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Images, type LucideIcon, Search, Star } from "lucide-react";
import { useId } from "react";
import { accountReading, instanceOf, type Member } from "../../api/account.ts";
import { reading } from "../../api/client.ts";
import type { NameOf } from "../../domain/messages/formatted-text.ts";
import { chatTitle, kindOfChat, phoneOfChat } from "../../domain/chats.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { CopyButton } from "../../ui/code/copy.tsx";
import { Drawer } from "../../ui/dialog.tsx";
import { Fact } from "../../ui/facts.tsx";
import { PhoneNumber } from "../../ui/phone.tsx";
import { Query } from "../../ui/states.tsx";
import { CHATS } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";
import type { LookUpTab } from "../chats/look-up.tsx";
import { namesIn } from "../chats/names.ts";
import { useChat } from "../chats/reads.ts";

type ChatInfoProps = { id: string; chatId: string; onLookUp: (tab: LookUpTab) => void; onClose: () => void };

const LINKS: readonly (readonly [LookUpTab, LucideIcon])[] = [
  ["search", Search],
  ["files", Images],
  ["starred", Star],
];

export function ChatInfo({ id, chatId, onLookUp, onClose }: ChatInfoProps) {
  const all = useTexts(CHATS);
  const texts = all.info;
  const { chat } = useChat(id, chatId);
  const kind = kindOfChat(chatId);
  const phone = chat?.phone ?? phoneOfChat(chatId);
  const name = chat?.name ?? null;
  const connection = useQuery(reading("GET /connections/{id}", { id })).data?.data;
  // Only the network has pictures and about texts, and the Cloud API has none.
  const isAskable = kind !== "channel" && connection?.kind === "session" && connection.status === "connected";
  const picture = useQuery({ ...accountReading("GET /chats/{chat_id}/picture", id, chatId), ...(!isAskable && { enabled: false }) });
  const about = useQuery({
    ...accountReading("GET /contacts/{chat_id}/about", id, chatId),
    ...(!(isAskable && kind === "direct") && { enabled: false }),
  }).data?.about;
  return (
    <Drawer open onClose={onClose} title={texts.title[kind]}>
      <div className="grid justify-items-center gap-2 text-center">
        {picture.data === undefined ? (
          <Avatar name={name} group={kind !== "direct"} large />
        ) : (
          // The policy allows pictures only from the dashboard's own origin.
          <img
            src={new URL(picture.data.url, location.href).pathname}
            alt={texts.picture}
            className="private aspect-square w-24 rounded-full object-cover"
          />
        )}
        <p dir="auto" className="private text-xl font-semibold wrap-anywhere">
          {chatTitle({ kind, name, phone }, all.hidden)}
        </p>
        {kind === "direct" && phone === null && <p className="text-soft">{all.hiddenText}</p>}
      </div>
      {kind === "direct" && (
        <dl className="grid gap-3">
          {phone !== null && (
            <Fact name={texts.number}>
              <PhoneNumber digits={phone} />
              <CopyButton value={`+${phone}`} label={texts.copyNumber} iconOnly />
            </Fact>
          )}
          {about && (
            <Fact name={texts.about}>
              <span dir="auto" className="private whitespace-pre-wrap wrap-anywhere">
                {about}
              </span>
            </Fact>
          )}
        </dl>
      )}
      <ul className="border-y border-line py-1">
        {LINKS.map(([tab, Icon]) => (
          <li key={tab}>
            <button type="button" className="choice" onClick={() => onLookUp(tab)}>
              <Icon size={18} aria-hidden className="shrink-0 text-soft" />
              {all.lookUp[tab]}
            </button>
          </li>
        ))}
      </ul>
      {kind === "group" && instanceOf(id) !== null && <Group id={id} chatId={chatId} onOpen={onClose} />}
    </Drawer>
  );
}

type OfChat = { id: string; chatId: string };

function Group({ id, chatId, onOpen }: OfChat & { onOpen: () => void }) {
  const texts = useTexts(CHATS);
  const membersId = useId();
  const own = useQuery(reading("GET /connections/{id}", { id })).data?.data.phone ?? "";
  const group = useQuery(accountReading("GET /groups/{chat_id}", id, chatId));
  const named = (member: Member, nameOf: NameOf): Named => {
    const { phone, name } = member;
    if (phone === own) return { ...member, title: texts.you, isYou: true };
    return { ...member, title: name ?? (phone === null ? undefined : nameOf(phone)) ?? texts.hidden.direct, isYou: false };
  };
  const people = (participants: readonly Member[]) => {
    const nameOf = namesIn(id, texts.you);
    return participants.map((member) => named(member, nameOf)).toSorted(byRole);
  };
  return (
    <Query result={group} lines={5}>
      {({ description, participants }) => (
        <>
          {description !== null && description !== "" && (
            <dl>
              <Fact name={texts.info.description}>
                <span dir="auto" className="private whitespace-pre-wrap wrap-anywhere">
                  {description}
                </span>
              </Fact>
            </dl>
          )}
          <section aria-labelledby={membersId} className="min-w-0">
            <h3 id={membersId} className="text-sm text-soft">
              {texts.info.members(participants.length)}
            </h3>
            <ul className="-mx-2">
              {people(participants).map((member) => (
                <li key={member.id} className="[contain-intrinsic-size:auto_2.75rem] [content-visibility:auto]">
                  <Person id={id} member={member} onOpen={onOpen} />
                </li>
              ))}
            </ul>
          </section>
        </>
      )}
    </Query>
  );
}

type Named = Member & { title: string; isYou: boolean };

/** This number first, then the admins, and all by name. */
function byRole(a: Named, b: Named): number {
  const rank = ({ isYou, role }: Named) => (isYou ? 0 : role === "member" ? 2 : 1);
  return rank(a) - rank(b) || a.title.localeCompare(b.title);
}

const PERSON = "flex min-h-11 items-center gap-3 rounded-md px-2 py-1 focus-visible:-outline-offset-2";

function Person({ id, member: { phone, name, role, title, isYou }, onOpen }: { id: string; member: Named; onOpen: () => void }) {
  const texts = useTexts(CHATS).info;
  const content = (
    <>
      <Avatar name={name} small />
      <span className="grid min-w-0 grow">
        <span dir="auto" className="private truncate">
          {title}
        </span>
        {phone !== null && name !== null && (
          <span className="text-sm text-soft">
            <PhoneNumber digits={phone} />
          </span>
        )}
      </span>
      {role !== "member" && <span className="shrink-0 text-sm text-soft">{texts.admin}</span>}
    </>
  );
  if (phone === null || isYou) return <div className={PERSON}>{content}</div>;
  return (
    <Link to="/connections/$id/chats/$chat" params={{ id, chat: `${phone}@c.us` }} onClick={onOpen} className={`${PERSON} hover:bg-tint`}>
      {content}
    </Link>
  );
}
