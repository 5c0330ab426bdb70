import type { IExecuteFunctions, NodeExecutionHint } from 'n8n-workflow';

import type { PreparedClaim } from './ask-ledger';

interface Suspicion {
  looksLike: string;
  why: string;
  test: (value: string, executionId: string | undefined) => boolean;
}

const FIRST_RECENT_SECOND = 1_400_000_000;
const LAST_RECENT_SECOND = 2_200_000_000;

/** What a value looks like that is not the same when the event comes again, or is the same for different orders. */
const SUSPICIONS: Suspicion[] = [
  {
    looksLike: 'an email address',
    why: 'one customer can have several orders, and the second would be held as already done',
    test: (value) => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value),
  },
  {
    looksLike: 'the execution ID',
    why: 'a repeated event has another execution, so it would be done again',
    test: (value, executionId) => executionId !== undefined && value === executionId,
  },
  {
    looksLike: 'a time',
    why: 'a repeated event can have another time, and two orders can have the same',
    test: (value) =>
      /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d|$)/.test(value) ||
      /^\d{1,2}[./]\d{1,2}[./]\d{2,4}/.test(value) ||
      isUnixTime(value),
  },
  {
    looksLike: 'an amount',
    why: 'two orders can have the same amount, and the second would be held as already done',
    test: (value) =>
      /^[\p{Sc}]?\s?-?\d+([.,]\d{3})*[.,]\d{1,2}\s?([\p{Sc}]|[A-Z]{3})?$/u.test(value) ||
      /^\p{Sc}\s?\d|^\d+\s?\p{Sc}$/u.test(value),
  },
  {
    looksLike: 'a generated ID',
    why: 'if it is made anew for each delivery, a repeated event would be done again',
    test: (value) => /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i.test(value),
  },
  {
    looksLike: 'written text',
    why: 'text varies from one run to the next, and a language model never writes the same twice',
    test: (value) => value.length > 60 || value.split(/\s+/).length > 5,
  },
];

const EXPRESSION_SUSPICIONS: ReadonlyArray<{ uses: RegExp; looksLike: string }> = [
  { uses: /\$execution\b/, looksLike: 'the execution ID' },
  { uses: /\$now\b|\$today\b|new Date\(|Date\.now/, looksLike: 'the time of this run' },
  { uses: /Math\.random|randomUUID|\$runIndex|\$itemIndex/, looksLike: 'a value that is made anew in each run' },
  { uses: /\$fromAI\b/, looksLike: "a language model's answer" },
];

/** Warnings about Business IDs, one of a kind, each with the first item that shows it. */
export function businessIdHints(context: IExecuteFunctions, claims: PreparedClaim[]): NodeExecutionHint[] {
  const hints: NodeExecutionHint[] = [];
  const executionId = context.getExecutionId();
  for (const { looksLike, why, test } of SUSPICIONS) {
    const found = claims.find(({ claim }) => test(claim.subject, executionId));
    if (found !== undefined) {
      hints.push(warning(`The Business ID "${found.claim.subject.slice(0, 80)}" looks like ${looksLike}: ${why}.`));
    }
  }
  const expression = rawExpression(context);
  for (const { uses, looksLike } of EXPRESSION_SUSPICIONS) {
    if (uses.test(expression)) {
      hints.push(
        warning(`The Business ID is made from ${looksLike}: a repeated event would get another ID and be done again.`),
      );
    }
  }
  return hints;
}

function rawExpression(context: IExecuteFunctions): string {
  try {
    return String(context.getNodeParameter('businessId', 0, '', { rawExpressions: true }));
  } catch {
    return '';
  }
}

function isUnixTime(value: string): boolean {
  if (!/^\d{10}(\d{3})?$/.test(value)) return false;
  const seconds = Number(value.slice(0, 10));
  return seconds > FIRST_RECENT_SECOND && seconds < LAST_RECENT_SECOND;
}

function warning(message: string): NodeExecutionHint {
  return { message, type: 'warning', location: 'outputPane' };
}
