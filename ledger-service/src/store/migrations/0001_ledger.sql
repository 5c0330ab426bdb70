-- The ledger's tables. The workspace leads every key, so that it can be the distribution column of a distributed engine.

CREATE TABLE action_ledger.ledger (
  only_row   boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  id         uuid NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE TABLE action_ledger.workspaces (
  no         integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name       text COLLATE "C" NOT NULL UNIQUE CHECK (name <> ''),
  created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE TABLE action_ledger.api_keys (
  no           integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  workspace_no integer NOT NULL REFERENCES action_ledger.workspaces (no),
  name         text NOT NULL CHECK (name <> ''),
  -- SHA-256 of a 32-byte random key: nothing to guess, so nothing to slow down.
  hash         bytea NOT NULL UNIQUE CHECK (length(hash) = 32),
  scopes       text[] NOT NULL,
  created_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
  expires_at   timestamptz,
  revoked_at   timestamptz
);

CREATE TABLE action_ledger.operations (
  workspace_no               integer NOT NULL REFERENCES action_ledger.workspaces (no),
  no                         integer GENERATED ALWAYS AS IDENTITY,
  name                       text COLLATE "C" NOT NULL,
  configured                 boolean NOT NULL DEFAULT false,
  revision                   integer NOT NULL DEFAULT 1,
  description                text,
  key_recipe                 text,
  lease_seconds              integer NOT NULL DEFAULT 300 CHECK (lease_seconds BETWEEN 1 AND 86400),
  max_attempts               integer NOT NULL DEFAULT 10 CHECK (max_attempts BETWEEN 1 AND 1000),
  retry_after_failure        boolean NOT NULL DEFAULT true,
  destination_idempotency    text NOT NULL DEFAULT 'none' CHECK (destination_idempotency IN ('none', 'key')),
  destination_window_seconds integer CHECK (destination_window_seconds > 0),
  safe_repeat                boolean NOT NULL DEFAULT false,
  look_up                    text NOT NULL DEFAULT 'none' CHECK (look_up IN ('none', 'stripe', 'http', 'workflow')),
  settle_seconds             integer NOT NULL DEFAULT 300 CHECK (settle_seconds >= 0),
  owner                      text,
  review_hours               integer NOT NULL DEFAULT 24 CHECK (review_hours > 0),
  escalate_to                text,
  details_retention_days     integer CHECK (details_retention_days > 0),
  replay_window_days         integer CHECK (replay_window_days > 0),
  PRIMARY KEY (workspace_no, no),
  UNIQUE (workspace_no, name),
  CHECK (NOT safe_repeat OR (destination_idempotency = 'key' AND destination_window_seconds IS NOT NULL))
);

CREATE SEQUENCE action_ledger.action_numbers;

-- One row per action. Nothing that a transition changes is indexed, so that its update stays on its page (HOT); the free
-- space for that is the fillfactor's. What is looked up by state is in open_actions.
CREATE TABLE action_ledger.actions (
  workspace_no      integer NOT NULL,
  id                uuid NOT NULL,
  no                bigint NOT NULL DEFAULT nextval('action_ledger.action_numbers'),
  created_at        timestamptz NOT NULL,
  since             timestamptz NOT NULL,
  key_claimed_at    timestamptz,
  key_window_ms     bigint,
  operation_no      integer NOT NULL,
  version           integer NOT NULL CHECK (version > 0),
  revision          integer NOT NULL CHECK (revision > 0),
  attempt           integer NOT NULL CHECK (attempt >= 0),
  history_seq       integer NOT NULL CHECK (history_seq > 0),
  lease_ms          integer NOT NULL CHECK (lease_ms >= 0),
  call_position     integer NOT NULL,
  key_attempts      integer NOT NULL CHECK (key_attempts >= 0),
  failed_receipts   integer NOT NULL CHECK (failed_receipts >= 0),
  confirmed_attempt integer,
  state             smallint NOT NULL CHECK (state BETWEEN 1 AND 5),
  claimed_from      smallint NOT NULL CHECK (claimed_from BETWEEN 1 AND 5),
  rotate_key        boolean NOT NULL,
  effect_seen       boolean NOT NULL,
  test_run          boolean NOT NULL,
  secret            uuid NOT NULL,
  call_id           uuid,
  holder_id         uuid,
  idempotency_key   uuid,
  account           text COLLATE "C" NOT NULL,
  subject           text COLLATE "C" NOT NULL,
  fingerprint       bytea CHECK (length(fingerprint) = 32),
  cause             text,
  unresolved        integer[] NOT NULL,
  effect_references text[] NOT NULL,
  contradictions    text[] NOT NULL,
  receipts          text NOT NULL,
  PRIMARY KEY (workspace_no, id),
  -- A lease without an attempt, a token or a length is none.
  CHECK (state <> 2 OR (attempt > 0 AND lease_ms > 0 AND idempotency_key IS NOT NULL)),
  CHECK (NOT effect_seen OR state = 2)
) WITH (fillfactor = 50);

-- Lists by time, operation by operation; created_at and operation never change.
CREATE INDEX actions_by_time ON action_ledger.actions (workspace_no, operation_no, created_at, id);

-- Every action that is not confirmed: the lease sweep, the review queue, what is claimable again. A narrow table of its
-- own, since an index on state or lease would end the HOT updates of the actions.
CREATE TABLE action_ledger.open_actions (
  workspace_no integer NOT NULL,
  id           uuid NOT NULL,
  action_no    bigint NOT NULL,
  since        timestamptz NOT NULL,
  due_at       timestamptz NOT NULL,
  review_by    timestamptz,
  settle_from  timestamptz,
  leased_until timestamptz,
  operation_no integer NOT NULL,
  state        smallint NOT NULL CHECK (state IN (1, 2, 4, 5)),
  holder_id    uuid,
  owner        text,
  holder       text,
  PRIMARY KEY (workspace_no, id),
  -- A lease is never born expired.
  CHECK (state <> 2 OR due_at > since)
) WITH (fillfactor = 80);
CREATE INDEX open_actions_due ON action_ledger.open_actions (workspace_no, state, due_at);
CREATE INDEX open_actions_holder ON action_ledger.open_actions (workspace_no, holder_id) WHERE holder_id IS NOT NULL;

-- Append-only and chained per action: each digest covers the one before it.
CREATE TABLE action_ledger.history (
  workspace_no   integer NOT NULL,
  action_no      bigint NOT NULL,
  at             timestamptz NOT NULL,
  seq            integer NOT NULL CHECK (seq > 0),
  attempt        integer NOT NULL,
  from_state     smallint NOT NULL,
  to_state       smallint NOT NULL,
  kind           text NOT NULL,
  facts          text NOT NULL,
  details_digest bytea CHECK (length(details_digest) = 32),
  digest         bytea NOT NULL CHECK (length(digest) = 32),
  PRIMARY KEY (workspace_no, action_no, seq)
);

-- What people wrote and destinations answered. Erasing a row leaves the chain whole, since the chain covers only its
-- salted digest.
CREATE TABLE action_ledger.history_details (
  workspace_no integer NOT NULL,
  action_no    bigint NOT NULL,
  seq          integer NOT NULL,
  salt         bytea NOT NULL CHECK (length(salt) = 16),
  body         text NOT NULL,
  PRIMARY KEY (workspace_no, action_no, seq)
);

CREATE TABLE action_ledger.action_references (
  workspace_no integer NOT NULL,
  reference    text COLLATE "C" NOT NULL,
  action_id    uuid NOT NULL,
  PRIMARY KEY (workspace_no, reference, action_id)
);

CREATE TABLE action_ledger.events (
  workspace_no  integer NOT NULL,
  id            uuid NOT NULL,
  first_seen_at timestamptz NOT NULL,
  occurred_at   timestamptz,
  source        text COLLATE "C" NOT NULL,
  event_id      text COLLATE "C" NOT NULL,
  PRIMARY KEY (workspace_no, id)
);

-- Which event asked for which action, and what it was answered. A plain log: evidence for people, no part of a decision.
CREATE TABLE action_ledger.event_claims (
  workspace_no integer NOT NULL,
  action_id    uuid NOT NULL,
  event_id     uuid NOT NULL,
  at           timestamptz NOT NULL,
  attempt      integer NOT NULL,
  decision     text NOT NULL
);
CREATE INDEX event_claims_by_action ON action_ledger.event_claims (workspace_no, action_id, event_id);
CREATE INDEX event_claims_by_event ON action_ledger.event_claims (workspace_no, event_id);

CREATE TABLE action_ledger.subject_versions (
  workspace_no integer NOT NULL,
  id           uuid NOT NULL,
  -- 1 is a sequence number, 2 a time in milliseconds; one stream never mixes them.
  kind         smallint NOT NULL CHECK (kind IN (1, 2)),
  value        double precision NOT NULL,
  PRIMARY KEY (workspace_no, id)
) WITH (fillfactor = 70);

-- The chain's digest. Every field before the facts is free of the separator, and the facts come last, so that no two
-- rows share an encoding. The first row is anchored in the action's identity.
CREATE FUNCTION action_ledger.history_digest(
  previous bytea, workspace_no integer, action_no bigint, seq integer, at timestamptz, kind text,
  from_state smallint, to_state smallint, attempt integer, details_digest bytea, facts text
) RETURNS bytea LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT sha256(previous || convert_to(
    workspace_no || '|' || action_no || '|' || seq || '|' || (extract(epoch FROM at) * 1000000)::bigint || '|' || kind
      || '|' || from_state || '|' || to_state || '|' || attempt || '|' || coalesce(encode(details_digest, 'hex'), '')
      || '|' || facts, 'UTF8'))
$$;

-- Ends a statement whose parts did not change exactly what they meant to; nothing of it is kept.
CREATE FUNCTION action_ledger.insist(holds boolean, what text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  IF holds IS NOT TRUE THEN
    RAISE EXCEPTION 'Action Ledger: % did not change what it meant to; nothing was written', what USING ERRCODE = 'AL001';
  END IF;
  RETURN true;
END
$$;

-- History is append-only for everyone, also for the owner of the table. Only a role of this name, which nobody has
-- unless an operator makes it, may do otherwise.
CREATE FUNCTION action_ledger.history_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_user <> 'action_ledger_retention' THEN
    RAISE EXCEPTION 'Action Ledger: the history is append-only; % is refused', TG_OP USING ERRCODE = 'AL002';
  END IF;
  RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
END
$$;
CREATE TRIGGER history_is_append_only BEFORE UPDATE OR DELETE ON action_ledger.history
  FOR EACH ROW EXECUTE FUNCTION action_ledger.history_is_append_only();
CREATE TRIGGER history_is_not_truncated BEFORE TRUNCATE ON action_ledger.history
  FOR EACH STATEMENT EXECUTE FUNCTION action_ledger.history_is_append_only();
ALTER TABLE action_ledger.history ENABLE ALWAYS TRIGGER history_is_append_only;
ALTER TABLE action_ledger.history ENABLE ALWAYS TRIGGER history_is_not_truncated;
