-- The cell's journal, beside the hall's database: running tables outlive a game server in it.
CREATE DATABASE journal OWNER paiju;
