import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CircleUser, LogOut, ShieldCheck } from "lucide-react";
import { useLeaving } from "../api/cache.ts";
import { api, reading } from "../api/client.ts";
import { refusalText } from "../api/refused.ts";
import { useLanguage } from "../texts/language.ts";
import { Popover } from "../ui/floating/popover.tsx";
import { SHELL } from "../texts/catalogs.ts";
import { useTexts } from "../texts/catalog.ts";
import { Choices } from "./choices.tsx";

const ROW =
  "flex min-h-11 w-full items-center gap-2.5 rounded-md px-3 py-1 text-left hover:bg-tint focus-visible:-outline-offset-2 pointer-fine:min-h-9";

export function useSignOut() {
  const leaving = useLeaving(async () => {
    await api("POST /sign-out", {});
    localStorage.removeItem("unsent");
    // Reloads a page restored by Back, so that no session data stays in memory. Never resolves, because the document is being replaced.
    addEventListener("pageshow", () => location.reload());
    location.assign("/sign-in?out=yes");
    await new Promise(() => undefined);
  });
  return { busy: leaving.isPending, refused: leaving.error, leave: () => leaving.mutate() };
}

export function AccountMenu({ compact = false }: { compact?: boolean }) {
  const texts = useTexts(SHELL);
  const language = useLanguage();
  const { data } = useQuery(reading("GET /session", {}));
  const { busy, refused, leave } = useSignOut();
  const user = data?.data.user ?? null;
  return (
    <Popover
      name={compact || user === null ? texts.accountMenu : `${user.name}: ${texts.accountMenu}`}
      icon={CircleUser}
      align="end"
      label={compact ? null : <span className="min-w-0 truncate">{user?.name}</span>}
      className={compact ? "w-11 !px-0" : "w-full !justify-start !px-3"}
      panelClass="w-72"
    >
      {(close) => (
        <div className="grid gap-1">
          <p className="truncate px-3 pt-1 text-sm text-soft">{user?.email}</p>
          <Link to="/account" onClick={close} className={ROW}>
            <CircleUser size={16} aria-hidden />
            {texts.account}
          </Link>
          {user?.role === "admin" && (
            <Link to="/admin/now" onClick={close} className={ROW}>
              <ShieldCheck size={16} aria-hidden />
              {texts.admin}
            </Link>
          )}
          <a href={texts.helpPage} target="_blank" onClick={close} className={ROW}>
            <b aria-hidden className="w-4 text-center">
              ?
            </b>
            {texts.help}
          </a>
          <div className="border-y border-line px-3 py-3">
            <Choices />
          </div>
          <button type="button" disabled={busy} onClick={leave} className={ROW}>
            <LogOut size={16} aria-hidden />
            {texts.signOut}
          </button>
          {refused !== null && (
            <p role="alert" className="px-3 pb-1 font-semibold text-bad">
              {refusalText(refused, language)}
            </p>
          )}
        </div>
      )}
    </Popover>
  );
}
