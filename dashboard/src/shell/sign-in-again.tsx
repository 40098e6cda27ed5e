import { useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useEffect } from "react";
import { queries } from "../api/cache.ts";
import { type ResponseBody, api, reading } from "../api/client.ts";
import { SignInForm } from "../pages/sign-in/sign-in-form.tsx";
import { buttonClass } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { announce } from "../ui/toast.tsx";
import { SHELL } from "../texts/catalogs.ts";
import { useTexts } from "../texts/catalog.ts";

type Session = ResponseBody<"GET /session">["data"];

export function SignInAgain({ before, onDone }: { before: NonNullable<Session["user"]>; onDone: () => void }) {
  const texts = useTexts(SHELL).expired;
  const router = useRouter();
  const { data } = useQuery({ ...reading("GET /session", {}), enabled: false });
  const identity = data?.data.identity;
  const here = location.pathname + location.search;
  const resume = async () => {
    const now = await api("GET /session", {});
    if (now.data.user === null) return;
    // Another user has signed in and must not see the previous user's data on this page.
    if (before.id !== now.data.user.id) {
      location.assign("/connections");
      return;
    }
    queries.setQueryData(reading("GET /session", {}).queryKey, now);
    onDone();
    announce(texts.back);
    await queries.invalidateQueries();
    // If the user has navigated to the sign-in page since the session ended, leaves it.
    if (router.state.matches.every(({ routeId }) => routeId !== "/in")) await router.invalidate();
  };
  return (
    <Dialog
      open
      closable={false}
      onClose={onDone}
      title={texts.title}
      actions={
        <a href={`/sign-in?to=${encodeURIComponent(here)}`} className={buttonClass("quiet")}>
          {texts.leave}
        </a>
      }
    >
      <p>{texts.text}</p>
      {identity?.kind === "issuer" ? (
        <IssuerAgain name={identity.name} onBack={resume} />
      ) : (
        <SignInForm email={before.email} isOverPage onSignedIn={resume} />
      )}
    </Dialog>
  );
}

/** Signs in at the issuer in another tab, and checks when the user returns. */
function IssuerAgain({ name, onBack }: { name: string; onBack: () => Promise<void> }) {
  const texts = useTexts(SHELL).expired;
  useEffect(() => {
    const back = () => void onBack().catch(() => undefined);
    window.addEventListener("focus", back);
    return () => window.removeEventListener("focus", back);
  }, [onBack]);
  return (
    <>
      <a href="/api/dashboard/sign-in?to=/connections" target="_blank" rel="noreferrer" className={buttonClass("primary")}>
        {texts.issuer(name)}
      </a>
      <p className="text-sm text-soft">{texts.issuerText}</p>
    </>
  );
}
