-- From here on versions are stored with each stamp once (sync/SPEC.md, «Stored»), and history with each name once. A program from before
-- cannot read them: this migration has no other purpose than that it refuses the database. Rows that are stored are read as they are.
select 1;
