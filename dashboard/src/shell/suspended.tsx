import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { LogOut } from "lucide-react";
import { useState } from "react";
import { reading } from "../api/client.ts";
import { EntryPage } from "../pages/sign-in/entry-page.tsx";
import { Button } from "../ui/button.tsx";
import { Support } from "../ui/support.tsx";
import { useAction } from "../ui/forms/action.ts";
import { FormError } from "../ui/forms/form-error.tsx";
import { SHELL } from "../texts/catalogs.ts";
import { useTexts } from "../texts/catalog.ts";
import { useSignOut } from "./account-menu.tsx";

export function Suspended() {
  const { suspended: texts, signOut } = useTexts(SHELL);
  const client = useQueryClient();
  const router = useRouter();
  const { busy, refused, run } = useAction();
  const out = useSignOut();
  const [still, setStill] = useState(false);
  const check = () =>
    run(async () => {
      const { data } = await client.fetchQuery({ ...reading("GET /session", {}), staleTime: 0 });
      setStill(data.suspended);
      if (!data.suspended) await router.navigate({ to: "/connections", replace: true });
    });
  return (
    <EntryPage title={texts.title}>
      <p>{texts.text}</p>
      <p>{texts.kept}</p>
      <Support />
      <div className="flex flex-wrap gap-2">
        <Button busy={busy} onClick={() => void check()}>
          {texts.check}
        </Button>
        <Button kind="quiet" icon={LogOut} busy={out.busy} onClick={out.leave}>
          {signOut}
        </Button>
      </div>
      <p role="status">{still && !busy ? texts.still : ""}</p>
      <FormError refused={refused ?? out.refused} />
    </EntryPage>
  );
}
