import { type QueryClient, type QueryFilters, useQuery, useQueryClient } from "@tanstack/react-query";
import { type LucideIcon, MessageCircle, Phone as Receiver, Settings as Gear, Signal, SignalZero, Smartphone } from "lucide-react";
import { useEffect } from "react";
import type { PhoneView } from "../../test-network/phone/views.ts";
import { useNow } from "../src/ui/clock.ts";
import { type Address, type Screen, to, useAddress } from "./network/address.ts";
import { change, keysOf, reading } from "./network/control.ts";
import { useTimes } from "./network/names.ts";
import { useAction } from "./network/action.ts";
import { CallScreen, useCallNow, Calls } from "./screens/calls.tsx";
import { ChatList } from "./screens/chat-list.tsx";
import { Devices } from "./screens/devices.tsx";
import { GroupInfo, NewGroup } from "./screens/groups.tsx";
import { LinkDevice } from "./screens/link-device.tsx";
import { Settings } from "./screens/settings.tsx";
import { Write } from "./screens/write.tsx";
import { Thread } from "./chat/thread.tsx";
import { usePhoneTexts } from "./texts/texts.ts";
import { type StreamState, useStream } from "../src/api/live.ts";

export function Phone({ phone, name }: { phone: string; name: string }) {
  const w = usePhoneTexts();
  const stream = useLive(phone);
  const { data: view } = useQuery(reading(phone, ""));
  const { data: chats = [] } = useQuery(reading(phone, "/chats"));
  const call = useCallNow(phone);
  const address = useAddress();
  usePresence(view);
  const unread = chats.reduce((sum, chat) => sum + chat.unread_count, 0);
  return (
    <section
      aria-label={w.phoneOf(name)}
      className="relative flex min-h-0 w-full flex-1 flex-col overflow-hidden bg-ground md:h-[min(52rem,calc(100dvh-2rem))] md:w-[24.5rem] md:flex-none md:rounded-[2.75rem] md:border-[0.6rem] md:border-black md:shadow-float md:outline md:outline-edge"
    >
      <StatusBar phone={phone} view={view} isLost={stream === "lost"} />
      <div inert={call !== null} className="flex min-h-0 flex-1 flex-col">
        <div className="flex min-h-0 flex-1 flex-col">
          {view !== undefined && <ScreenOf key={address.screen + (address.about ?? "")} view={view} address={address} />}
        </div>
        {address.screen !== "chat" && (
          <Tabs phone={phone} screen={address.screen} unread={unread} isCodeAsked={view?.code_requested === true} />
        )}
      </div>
      {call !== null && <CallScreen phone={phone} call={call} />}
    </section>
  );
}

function ScreenOf({ view, address: { screen, about } }: { view: PhoneView; address: Address }) {
  const { phone } = view;
  switch (screen) {
    case "chats":
      return <ChatList phone={phone} />;
    case "chat":
      return about === null ? <ChatList phone={phone} /> : <Thread view={view} chatId={about} />;
    case "write":
      return <Write phone={phone} />;
    case "new-group":
      return <NewGroup phone={phone} />;
    case "group":
      return about === null ? <ChatList phone={phone} /> : <GroupInfo phone={phone} groupId={about} />;
    case "calls":
      return <Calls phone={phone} />;
    case "devices":
      return <Devices view={view} />;
    case "link":
      return <LinkDevice phone={phone} isCodeAsked={view.code_requested} />;
    case "settings":
      return <Settings view={view} />;
  }
}

function StatusBar({ phone, view, isLost }: { phone: string; view: PhoneView | undefined; isLost: boolean }) {
  const w = usePhoneTexts();
  const act = useAction();
  const { clock } = useTimes();
  const now = useNow() / 1000;
  const isOn = view?.options.online ?? true;
  const Icon = isOn ? Signal : SignalZero;
  return (
    <>
      <div className="flex items-center justify-between bg-surface pr-2 pl-5 text-sm md:pt-1">
        <span className="tabular-nums">{clock(now)}</span>
        <button
          type="button"
          disabled={view === undefined}
          title={isOn ? w.connection.lose : w.connection.regain}
          onClick={() => void act(() => change(phone, "PATCH", "", { online: !isOn }))}
          className={`inline-flex min-h-11 items-center gap-1.5 rounded-full px-3 hover:bg-tint ${isOn ? "text-soft" : "font-semibold text-bad"}`}
        >
          <Icon aria-hidden="true" className="size-4" />
          {isOn ? w.connection.on : w.connection.off}
          <span className="sr-only">: {isOn ? w.connection.lose : w.connection.regain}</span>
        </button>
      </div>
      {isLost && <p className="bg-attention px-4 py-1 text-center text-sm text-surface">{w.networkLost}</p>}
      {!isOn && !isLost && <p className="bg-tint px-4 py-1 text-center text-sm">{w.connection.offExplained}</p>}
    </>
  );
}

const TABS: ReadonlyArray<{ screen: "chats" | "calls" | "devices" | "settings"; icon: LucideIcon; holds: readonly Screen[] }> = [
  { screen: "chats", icon: MessageCircle, holds: ["chats", "chat", "write", "group", "new-group"] },
  { screen: "calls", icon: Receiver, holds: ["calls"] },
  { screen: "devices", icon: Smartphone, holds: ["devices", "link"] },
  { screen: "settings", icon: Gear, holds: ["settings"] },
];

function Tabs({ phone, screen, unread, isCodeAsked }: { phone: string; screen: Screen; unread: number; isCodeAsked: boolean }) {
  const w = usePhoneTexts();
  return (
    <nav aria-label={w.screens} className="grid grid-cols-4 border-t border-line bg-surface pb-1">
      {TABS.map(({ screen: tab, icon: Icon, holds }) => {
        const mark = tab === "chats" ? unread : tab === "devices" && isCodeAsked ? 1 : 0;
        return (
          <a
            key={tab}
            href={to(phone, tab)}
            aria-current={holds.includes(screen) ? "page" : undefined}
            className="relative flex min-h-14 flex-col items-center justify-center gap-0.5 text-sm text-soft hover:text-ink aria-[current]:font-semibold aria-[current]:text-accent"
          >
            <Icon aria-hidden="true" className="size-5" />
            {w.tabs[tab]}
            {mark > 0 && (
              <span className="absolute top-1 left-1/2 ml-1.5 min-w-5 rounded-full bg-accent px-1 text-center text-[0.7rem] leading-5 font-semibold text-on-accent">
                <span aria-hidden="true">{mark}</span>
                <span className="sr-only">{tab === "chats" ? w.unread(mark) : w.devices.codeRequested}</span>
              </span>
            )}
          </a>
        );
      })}
    </nav>
  );
}

function usePresence(view: PhoneView | undefined): void {
  const phone = view?.phone;
  const isOn = view?.options.online === true;
  useEffect(() => {
    if (phone === undefined || !isOn) return undefined;
    const say = (isSeen: boolean): void =>
      void change(phone, "POST", "/presence", { presence: isSeen ? "online" : "offline" }).catch(() => undefined);
    const seen = (): void => say(document.visibilityState === "visible");
    seen();
    document.addEventListener("visibilitychange", seen);
    return () => {
      document.removeEventListener("visibilitychange", seen);
      say(false);
    };
  }, [phone, isOn]);
}

const EVENTS = ["ready", "changed"] as const;

type Changed = { part: string; chat_id?: string };

export function useLive(phone: string | null): StreamState {
  const client = useQueryClient();
  return useStream(phone === null ? null : `/phones/${phone}/events`, EVENTS, ({ type, data }) => {
    if (phone === null) return;
    // Refetches, because changes made while there was no stream were not reported.
    if (type === "ready") return void readAgain(client, {});
    const { part, chat_id: chat } = data as Changed;
    for (const queryKey of keysOf(phone, part)) {
      void readAgain(client, { queryKey, predicate: ({ queryKey: [, , , given] }) => concerns(given, chat) });
    }
  });
}

/** Waits for a running fetch, whose response may be older than the change, then refetches. Concurrent changes share one refetch. */
async function readAgain(client: QueryClient, which: QueryFilters): Promise<void> {
  const underWay = client.getQueryCache().findAll({ ...which, fetchStatus: "fetching" });
  await Promise.allSettled(underWay.map(async ({ promise }) => promise));
  await client.invalidateQueries(which, { cancelRefetch: false });
}

function concerns(given: unknown, chat: string | undefined): boolean {
  const read = (given as { chat?: string } | undefined)?.chat;
  return chat === undefined || read === undefined || read === chat;
}
