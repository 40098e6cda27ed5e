// All waiting messages of a connection.
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { Clock } from "lucide-react";
import { reading } from "../../api/client.ts";
import { usePages } from "../../api/pages.ts";
import { chatTitle, kindOfChat, phoneOfChat } from "../../domain/chats.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { PageTitle } from "../../ui/heading.tsx";
import { Paged } from "../../ui/pager.tsx";
import { useRole } from "../../ui/role-gate.tsx";
import { Empty } from "../../ui/states.tsx";
import { CHATS } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";
import { Waiting } from "./waiting.tsx";
import { CancelAll, WaitingActions } from "./waiting-actions.tsx";
import { useFreshWaiting, WAITING, type WaitingSend } from "./waiting-reads.ts";

export function WaitingPage() {
  const texts = useTexts(CHATS);
  const { id } = useParams({ from: "/in/connections/$id/waiting" });
  useFreshWaiting();
  const sends = usePages(WAITING, { id });
  const { role } = useRole();
  const count = sends.data?.pages.reduce((sum, { data }) => sum + data.length, 0) ?? 0;
  return (
    <div className="grid min-w-0 gap-4">
      <header className="flex flex-wrap items-start justify-between gap-3">
        <div>
          <PageTitle>{texts.later.title}</PageTitle>
          <p className="max-w-prose text-soft">{texts.later.about}</p>
        </div>
        <div className="flex flex-wrap gap-2">
          <ButtonLink to="/connections/$id/chats" params={{ id }}>
            {texts.back}
          </ButtonLink>
          {role !== "viewer" && <CancelAll id={id} chatId={null} count={count} />}
        </div>
      </header>
      <div className="rounded-lg bg-surface">
        <Paged result={sends} empty={<Empty icon={Clock} title={texts.later.none} text={texts.later.noneText} />}>
          {(items) => (
            <ul className="divide-y divide-line">
              {items.map((send) => (
                <Item key={send.message_id} id={id} send={send} />
              ))}
            </ul>
          )}
        </Paged>
      </div>
    </div>
  );
}

const MAX_CHATS = 100;

function Item({ id, send }: { id: string; send: WaitingSend }) {
  const texts = useTexts(CHATS);
  const { role } = useRole();
  const { chat_id: chatId } = send;
  const chats = useQuery(reading("GET /connections/{id}/chats", { id, limit: MAX_CHATS }));
  const chat = chats.data?.data.find(({ chat_id }) => chat_id === chatId);
  const kind = kindOfChat(chatId);
  return (
    <li className="flex items-start gap-2 px-4 py-3">
      <div className="grid min-w-0 grow gap-1">
        <Link
          to="/connections/$id/chats/$chat"
          params={{ id, chat: chatId }}
          className="private justify-self-start font-semibold break-words underline-offset-2 hover:underline"
        >
          {chatTitle(chat ?? { kind, name: null, phone: phoneOfChat(chatId) }, texts.hidden)}
        </Link>
        <Waiting send={send} />
      </div>
      {role !== "viewer" && <WaitingActions id={id} send={send} />}
    </li>
  );
}
