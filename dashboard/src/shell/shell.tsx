import { Link, Outlet, useMatches, useRouteContext } from "@tanstack/react-router";
import { Ellipsis, type LucideIcon, Search } from "lucide-react";
import { Suspense, useEffect, useState } from "react";
import { Badge } from "../ui/badge.tsx";
import { Brand } from "../ui/brand.tsx";
import { IconButton, buttonClass } from "../ui/button.tsx";
import { useHint } from "../ui/floating/hint.tsx";
import { Popover } from "../ui/floating/popover.tsx";
import { Loading } from "../ui/states.tsx";
import { SHELL } from "../texts/catalogs.ts";
import { useTexts } from "../texts/catalog.ts";
import { AccountMenu } from "./account-menu.tsx";
import { OfflineLine } from "./offline.tsx";
import { ADMIN_SECTIONS, IN_BAR, SECTIONS } from "./sections.ts";
import { Switcher, useConnection } from "./switcher.tsx";
import { lazyPart } from "../ui/loading/lazy-part.tsx";

const Palette = lazyPart(() => import("./palette.tsx").then(({ Palette: component }) => component));

const SERVICE_WORKER_AFTER_MS = 3_000;

export function Shell() {
  const texts = useTexts(SHELL);
  const { sandbox } = useRouteContext({ from: "/in" });
  const [palette, setPalette] = useState(false);
  // Chats fill the window's height. On a phone, an open chat fills the screen.
  const fills = useMatches({ select: (matches) => matches.some(({ routeId }) => routeId === "/in/connections/$id/chats") });
  const isChat = useMatches({ select: (matches) => matches.some(({ routeId }) => routeId === "/in/connections/$id/chats/$chat") });
  // Runs later, because the first page does not need it. If it fails, for example offline, the next load tries again.
  useEffect(() => {
    const renewed = () => import("./service-worker.ts").then(({ renew }) => renew());
    const soon = setTimeout(() => void renewed().catch(() => null), SERVICE_WORKER_AFTER_MS);
    return () => clearTimeout(soon);
  }, []);
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      // Autofill sends keyboard events without a key.
      if (event.code === "" || event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey)
        return;
      event.preventDefault();
      // Does not open over another dialog, which may contain a secret that is shown only once.
      if (document.querySelector("dialog:modal") === null) setPalette(true);
    };
    document.addEventListener("keydown", pressed);
    return () => document.removeEventListener("keydown", pressed);
  }, []);
  return (
    <div className="shell" data-fills={fills || undefined} data-chat={isChat || undefined}>
      <a
        href="#content"
        className="sr-only rounded-md focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-10 focus:bg-ink focus:px-4 focus:py-2 focus:text-ground"
      >
        {texts.skip}
      </a>
      <Rail sandbox={sandbox} onSearch={() => setPalette(true)} />
      <TopBar sandbox={sandbox} onSearch={() => setPalette(true)} />
      <div className="shell-body">
        <OfflineLine />
        <main id="content" tabIndex={-1}>
          <Suspense fallback={<Loading lines={6} />}>
            <Outlet />
          </Suspense>
        </main>
      </div>
      <BottomBar />
      {palette && (
        <Suspense>
          <Palette onClose={() => setPalette(false)} />
        </Suspense>
      )}
    </div>
  );
}

type AroundProps = { sandbox: boolean; onSearch: () => void };

function Rail({ sandbox, onSearch }: AroundProps) {
  const texts = useTexts(SHELL);
  const chosen = useConnection();
  const inAdmin = useMatches({ select: (matches) => matches.some(({ routeId }) => routeId === "/in/admin") });
  return (
    <header className="sticky top-0 hidden h-dvh flex-col gap-3 border-r border-line bg-surface p-3 min-[900px]:flex">
      <div className="flex min-h-9 items-center justify-between gap-2">
        <Link to="/connections">
          <Brand />
        </Link>
        {sandbox && <SandboxBadge />}
      </div>
      <button type="button" onClick={onSearch} className={buttonClass("plain", "!justify-start !px-3 !font-normal text-soft")}>
        <Search size={16} aria-hidden className="shrink-0" />
        <span className="grow text-left">{texts.palette.open}</span>
        <kbd className="text-sm">{/mac/i.test(navigator.platform) ? "⌘K" : "Ctrl K"}</kbd>
      </button>
      <Switcher className="w-full" />
      <nav aria-label={chosen === undefined ? texts.navigation : texts.sections} className="grid min-h-0 gap-0.5 overflow-y-auto">
        {chosen !== undefined &&
          SECTIONS.map(({ word, to, icon }) => (
            <Link key={to} to={to} params={{ id: chosen.id }} activeOptions={{ exact: word === "overview" }} className={SECTION}>
              <SectionLabel icon={icon} text={texts[word]} />
            </Link>
          ))}
        {inAdmin &&
          ADMIN_SECTIONS.map(({ word, to, icon }) => (
            <Link key={to} to={to} className={SECTION}>
              <SectionLabel icon={icon} text={texts[word]} />
            </Link>
          ))}
      </nav>
      <div className="mt-auto border-t border-line pt-2">
        <AccountMenu />
      </div>
    </header>
  );
}

const SECTION =
  "flex min-h-9 items-center gap-2.5 rounded-md border-l-2 border-transparent px-2.5 text-soft hover:bg-tint hover:text-ink focus-visible:-outline-offset-2 aria-[current=page]:border-ink aria-[current=page]:bg-tint aria-[current=page]:font-semibold aria-[current=page]:text-ink";

function SectionLabel({ icon: Icon, text }: { icon: LucideIcon; text: string }) {
  return (
    <>
      <Icon size={16} aria-hidden className="shrink-0" />
      {text}
    </>
  );
}

function TopBar({ sandbox, onSearch }: AroundProps) {
  const texts = useTexts(SHELL);
  return (
    <header className="top-bar">
      <Switcher className="grow" />
      {sandbox && <SandboxBadge />}
      <IconButton label={texts.palette.open} icon={Search} onClick={onSearch} />
      <AccountMenu compact />
    </header>
  );
}

function SandboxBadge() {
  const texts = useTexts(SHELL);
  const { anchor, bubble } = useHint(texts.sandboxHint);
  return (
    <>
      {/* Focusable, so that keyboard users can read its hint. */}
      <span tabIndex={0} role="note" {...anchor} className="rounded-md">
        <Badge tone="info">{texts.sandbox}</Badge>
      </span>
      {bubble}
    </>
  );
}

type Section = (typeof ADMIN_SECTIONS)[number] | (typeof SECTIONS)[number];

const BAR_ITEM =
  "grid min-h-14 min-w-0 flex-1 content-center justify-items-center gap-0.5 border-t-2 border-transparent px-0.5 text-center text-[0.6875rem] leading-4 text-soft focus-visible:-outline-offset-2 aria-[current=page]:border-ink aria-[current=page]:font-semibold aria-[current=page]:text-ink";

function BottomBar() {
  const texts = useTexts(SHELL);
  const chosen = useConnection();
  const inAdmin = useMatches({ select: (matches) => matches.some(({ routeId }) => routeId === "/in/admin") });
  if (!inAdmin && chosen === undefined) return null;
  const sections: readonly Section[] = inAdmin ? ADMIN_SECTIONS : SECTIONS;
  const params = chosen === undefined ? {} : { params: { id: chosen.id } };
  return (
    <nav aria-label={inAdmin ? texts.admin : texts.sections} className="tab-bar">
      {sections.slice(0, IN_BAR).map(({ word, to, icon: Icon }) => (
        <Link key={to} to={to} {...params} activeOptions={{ exact: word === "overview" }} className={BAR_ITEM}>
          <Icon size={18} aria-hidden />
          <span className="max-w-full truncate">{texts[word]}</span>
        </Link>
      ))}
      <Popover
        name={texts.more}
        bare
        label={
          <span className="grid justify-items-center gap-0.5 text-[0.6875rem] leading-4 font-normal text-soft">
            <Ellipsis size={18} aria-hidden />
            {texts.more}
          </span>
        }
        align="end"
        className="min-w-0 flex-1 !rounded-none !px-0"
        panelClass="w-56"
      >
        {(close) => (
          <div className="grid gap-0.5">
            {sections.slice(IN_BAR).map(({ word, to, icon }) => (
              <Link key={to} to={to} {...params} onClick={close} className={`${SECTION} !min-h-11`}>
                <SectionLabel icon={icon} text={texts[word]} />
              </Link>
            ))}
          </div>
        )}
      </Popover>
    </nav>
  );
}
