/** What an operator can do something about: printed without a stack, with the remedy below it. Nothing in it is a secret. */
export class SetupProblem extends Error {
  readonly remedy: string;

  constructor(problem: string, remedy: string) {
    super(problem);
    this.remedy = remedy;
  }
}
