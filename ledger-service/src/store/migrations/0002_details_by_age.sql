-- What the retention looks details up by: whose operation they belong to, and how old they are. Copies of what the action
-- and the history say, which never change; without them every look would have to read all histories.

ALTER TABLE action_ledger.history_details ADD COLUMN operation_no integer, ADD COLUMN recorded_at timestamptz;

UPDATE action_ledger.history_details d SET operation_no = a.operation_no, recorded_at = h.at
FROM action_ledger.history h, action_ledger.actions a
WHERE h.workspace_no = d.workspace_no AND h.action_no = d.action_no AND h.seq = d.seq
  AND a.workspace_no = d.workspace_no AND a.no = d.action_no;

ALTER TABLE action_ledger.history_details ALTER COLUMN operation_no SET NOT NULL, ALTER COLUMN recorded_at SET NOT NULL;

-- Only actions that come with details pay for it. A page of it is continued by its whole row: a batch shares one time.
CREATE INDEX history_details_by_age
  ON action_ledger.history_details (workspace_no, operation_no, recorded_at, action_no, seq);
