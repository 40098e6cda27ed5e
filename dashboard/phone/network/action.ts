import { useMemo } from "react";
import { toast } from "../../src/ui/toast.tsx";
import { refusalText, usePhoneTexts } from "../texts/texts.ts";
import { Refusal } from "./control.ts";

/** Runs `work` and shows a notice: `done`, or why the network refused. Resolves to undefined if it was refused. */
export function useAction() {
  const w = usePhoneTexts();
  return useMemo(
    () =>
      async <T>(work: () => Promise<T>, done?: string): Promise<T | undefined> => {
        try {
          const value = await work();
          if (done !== undefined) toast(done);
          return value;
        } catch (error) {
          if (!(error instanceof Refusal)) throw error;
          toast(refusalText(w, error.code), { kind: "bad" });
          return undefined;
        }
      },
    [w],
  );
}

export function fieldOf(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === "string" ? value.trim() : "";
}
