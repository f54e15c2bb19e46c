"""The faults: in which file, which line, what becomes of it, and the tests that must fail."""

from __future__ import annotations

from typing import NamedTuple


class Mutant(NamedTuple):
    """A fault: `line` stands once in `file` (of the package), and is replaced by `fault`."""

    name: str
    file: str
    line: str
    fault: str
    tests: tuple[str, ...]


MUTANTS = [
    Mutant(
        "summarize does not look at pins again", "summaries/one.py",
        "return own, message.replaced, message.pinned, message.pending is not None",
        "return own, message.replaced, False, message.pending is not None",
        ("summaries/test_races.py::test_a_message_changed_in_how_it_stands_is_seen",),
    ),
    Mutant(
        "summarize does not look at pending again", "summaries/one.py",
        "return own, message.replaced, message.pinned, message.pending is not None",
        "return own, message.replaced, message.pinned, False",
        ("summaries/test_races.py::test_a_message_changed_in_how_it_stands_is_seen",),
    ),
    Mutant(
        "summarize does not look at replaced parts again", "summaries/one.py",
        "return own, message.replaced, message.pinned, message.pending is not None",
        "return own, None, message.pinned, message.pending is not None",
        ("summaries/test_races.py::test_a_message_changed_in_how_it_stands_is_seen",),
    ),
    Mutant(
        "aborted stays after a commit", "session/fold.py",
        '        message.fields.pop("aborted", None)\n',
        "",
        ("session/test_fold.py::test_a_commit_ends_an_abort",),
    ),
    Mutant(
        "clear leaves summaries shown", "session/fold.py",
        "        self.summaries = [s for s in self.summaries if s.place > self.barrier]\n",
        "",
        ("session/test_fold.py::test_a_clear_hides_summaries_and_compactions_before_it",),
    ),
    Mutant(
        "the temporary file is unlocked before it is published", "store/replace.py",
        "            os.replace(temporary, path)\n",
        "            fcntl.flock(fd, fcntl.LOCK_UN)\n            os.replace(temporary, path)\n",
        ("store/test_log.py::test_the_new_file_is_locked_until_all_is_done",),
    ),
    Mutant(
        "a summary covers one that came after it", "session/view.py",
        "if id in known and known[id].place <= summary.place and id != summary.id",
        "if id in known and id != summary.id",
        ("session/test_fold.py::test_a_summary_covers_no_later_one",),
    ),
    Mutant(
        "an edit stands where it was begun, not where it was committed", "session/fold.py",
        "            self.made[done].place = place\n",
        "            pass\n",
        ("session/test_fold.py::test_an_edit_is_undone_as_the_newest_where_it_was_committed",),
    ),
    Mutant(
        "a message keeps the blocks of an earlier line", "session/fold.py",
        "        message.blocks = message.pending = message.update = None\n",
        "        message.pending = message.update = None\n",
        ("session/test_fold.py::test_a_message_that_was_a_ref_has_no_blocks_any_more",),
    ),
    Mutant(
        "half a unit is summarised", "summaries/window.py",
        "    torn = _closed(torn, links)\n",
        "",
        ("summaries/test_window.py::test_a_unit_that_reaches_out_of_the_batch_stays_whole",),
    ),
    Mutant(
        "a fold forgets what is not live", "summaries/window.py",
        "    return [*placed, *sorted(messages.difference(placed)), *absorbed]",
        "    return [*placed, *absorbed]",
        ("summaries/test_window.py::test_what_is_not_there_stays_covered",),
    ),
    Mutant(
        "summarize does not look at the newest exchange again", "summaries/one.py",
        "    return not any(message.id in work.seen for group in newest for message in group)",
        "    return True",
        ("summaries/test_races.py::test_the_newest_exchange_is_not_covered_though_it_was_not_the_newest_before",),
    ),
    Mutant(
        "summarize does not look at summaries again", "summaries/one.py",
        "    now |= {s.id: s.text for s in view.summaries if s.id in work.seen}\n",
        "    now |= {id: text for id, text in work.seen.items() if isinstance(text, str)}\n",
        ("summaries/test_races.py::test_a_summary_undone_meanwhile_is_not_folded",),
    ),
    Mutant(
        "gc takes an update of an id used twice for its own stream's", "commands/gc/unused.py",
        '            unclear |= {of} if used[data["id"]] > 1 else set()\n',
        "",
        ("commands/test_gc.py::test_which_deltas_go",),
    ),
    Mutant(
        "the key search stops after the first MiB", "store/log.py",
        "        for start in range(0, self.size, _CHUNK):\n            chunk = pread_all(self._fd, min(_CHUNK + reach",
        "        for start in range(0, min(self.size, _CHUNK), _CHUNK):\n            chunk = pread_all(self._fd, min(_CHUNK + reach",
        ("store/test_log.py::test_a_key_is_found_wherever_it_stands",),
    ),
    Mutant(
        "a key across two reads is not found", "store/log.py",
        "min(_CHUNK + reach, self.size - start)",
        "min(_CHUNK, self.size - start)",
        ("store/test_log.py::test_a_key_is_found_wherever_it_stands",),
    ),
    Mutant(
        "restore takes the oldest", "store/trash.py",
        "os.replace(found[-1].path, path)",
        "os.replace(found[0].path, path)",
        ("store/test_trash.py::test_the_newest_comes_back_whatever_numbers_are_missing",),
    ),
    Mutant(
        "no directory sync in the trash", "store/trash.py",
        "            sync_dir(folder)\n",
        "            pass\n",
        ("store/test_trash.py::test_both_names_of_a_move_are_made_durable",),
    ),
    Mutant(
        "gc forgets a block id across two reads", "commands/gc/unused.py",
        "            tail = text[-_REACH:]\n",
        "            tail = b''\n",
        ("commands/test_gc_doubts.py::test_a_block_named_across_two_reads_stays",),
    ),
    Mutant(
        "gc goes on after a session that it cannot read", "commands/gc/unused.py",
        '        raise InputOutput(f"{path}: {error.strerror}; nothing was removed") from None',
        "        return None",
        ("commands/test_gc_doubts.py::test_a_session_that_may_not_be_read_stops_it",),
    ),
    Mutant(
        "calls stores a result without looking again", "receive/tool_call.py",
        '            env.note(f"{target.id}: {call.name} ({call.id}) waits no longer; its result is not stored")\n            return None\n',
        "            pass\n",
        ("receive/test_tool_call.py",),
    ),
    Mutant(
        "an abort leaves out what was not on disk", "receive/answer.py",
        "        if self.held:\n            self.flush()\n        if self.pending is None:",
        "        if self.pending is None:",
        ("receive/test_answer.py::test_a_cut_leaves_what_came_in_its_last_second",),
    ),
    Mutant(
        "a stream is on disk every five seconds", "receive/answer.py",
        "FLUSH_SECONDS = 1.0",
        "FLUSH_SECONDS = 5.0",
        ("receive/test_answer.py::test_what_arrived_a_second_ago_is_on_disk",),
    ),
    Mutant(
        "a doubled stream stays pending", "receive/answer.py",
        "                if self.pending is None:\n                    return None\n",
        "                return None\n",
        ("receive/test_known.py::test_the_same_answer_that_was_pending_before_its_end_is_stored_once",),
    ),
    Mutant(
        "what is left of a secret is not seen across two reads", "filters/redact/left_elsewhere.py",
        "                    tail = text[-self.longest :]\n",
        '                    tail = b""\n',
        ("commands/test_redact.py::test_a_fork_holds_it_across_what_is_read_at_once",),
    ),
    Mutant(
        "redaction voids the stubs of a compaction", "filters/redact/run.py",
        '    new = [{**op, "block": blocks[op["block"]]} if op.get("block") in blocks else op for op in ops]',
        "    new = list(ops)",
        ("commands/test_redact.py::test_a_stub_stays_where_its_part_came_in_pieces_with_a_secret", "filters/redact/test_redactor.py::test_a_replacement_still_holds_when_its_part_was_redacted"),
    ),
    Mutant(
        "the name of a block is synced only where it is new", "blocks/directory.py",
        "            _each(sync_dir, folders + [self.root] * bool(made))",
        "            _each(sync_dir, made + [self.root] * bool(made))",
        ("blocks/test_stores.py::test_the_name_of_a_block_is_synced_though_another_wrote_it",),
    ),
    Mutant(
        "blocks are stored without the lock", "blocks/directory.py",
        'with self._failing("; nothing refers to what was written"), self._locked(fcntl.LOCK_SH):',
        'with self._failing("; nothing refers to what was written"), self._locked(fcntl.LOCK_UN):',
        ("blocks/test_stores.py::test_no_collector_works_while_blocks_are_stored_nor_the_other_way_round",),
    ),
    Mutant(
        "blocks are removed without the lock", "blocks/directory.py",
        'with self._failing(""), self._locked(fcntl.LOCK_EX):',
        'with self._failing(""), self._locked(fcntl.LOCK_UN):',
        ("blocks/test_stores.py::test_no_collector_works_while_blocks_are_stored_nor_the_other_way_round",),
    ),
    Mutant(
        "expand of a clear shows what a later one hid", "commands/expand.py",
        'if m.hidden == "clear" and m.place < step.place]',
        'if m.hidden == "clear"]',
        ("commands/test_expand.py",),
    ),
    Mutant(
        "the same words at another cost are taken for one answer", "receive/known.py",
        "        and (usage is None or reply.usage is None or usage == reply.usage)\n",
        "",
        ("receive/test_known.py",),
    ),
    Mutant(
        "an answer behind a clear is taken for stored", "receive/known.py",
        'if message is not None and message.committed and message.hidden != "clear":',
        "if message is not None and message.committed:",
        ("receive/test_known.py",),
    ),
    Mutant(
        "ask takes an answer for one that it has", "receive/answer.py",
        "            before = None if self.fresh else known(locked, reply)",
        "            before = known(locked, reply)",
        ("receive/test_known.py",),
    ),
    Mutant(
        "a retry with another file is taken for the same prompt", "commands/ask.py",
        '    if message.kind != draft.fields["kind"] or message.fields.get("attached") != draft.fields.get(\n        "attached"\n    ):\n        return False\n',
        "",
        ("commands/test_ask.py::test_another_file_of_the_same_bytes_is_no_retry",),
    ),
    Mutant(
        "what others append while stdin is read is not sent", "commands/ask.py",
        "            if size != len(data):  # more came meanwhile: it is sent too\n",
        "            if False:\n",
        ("commands/test_ask.py::test_what_came_meanwhile_is_sent_too",),
    ),
    Mutant(
        "ask --system replaces the system prompt of a session", "commands/ask.py",
        '    if not system or view.meta.get("system"):\n',
        "    if not system:\n",
        ("commands/test_ask.py::test_a_system_prompt_is_kept_where_there_is_none",),
    ),
    Mutant(
        "a secret across an update and its deltas stays where the update is edited again", "filters/redact/run.py",
        "            done.append(edited.get(root, []))\n",
        "",
        ("commands/test_redact.py::test_a_secret_across_an_update_is_gone_though_another_update_followed",),
    ),
    Mutant(
        "a failed persist leaves its blocks", "access/persist.py",
        "        persisting.take_back(target.path)\n        raise\n",
        "        raise\n",
        ("access/test_moving.py::test_a_file_that_cannot_be_replaced_leaves_no_block_behind",),
    ),
    Mutant(
        "the trash counts by letters", "store/trash.py",
        "    return sorted(found, key=lambda item: (item.id, item.number))",
        "    return sorted(found, key=lambda item: (item.id, str(item.number)))",
        ("store/test_trash.py::test_a_number_of_two_digits_is_newer_than_one_of_one",),
    ),
    Mutant(
        "prune moves a session that has grown", "store/trash.py",
        "        if size not in (None, locked.size):\n",
        "        if False:\n",
        ("commands/test_prune.py::test_a_session_that_grows_meanwhile_stays",),
    ),
    Mutant(
        "gc removes a block that was written meanwhile", "blocks/directory.py",
        "                    if os.stat(self._path(id), follow_symlinks=False).st_mtime < before:\n                        os.unlink",
        "                    if True:\n                        os.unlink",
        ("blocks/test_stores.py::test_only_what_was_not_written_lately_is_stale_and_deleted",),
    ),
    Mutant(
        "a key with capitals in its escapes is another", "store/needle.py",
        '[b"[%b%b]" % (d.encode(), d.upper().encode()) if d.isalpha() else d.encode() for d in units]',
        "[d.encode() for d in units]",
        ("receive/test_known.py",),
    ),
    Mutant(
        "a batch takes an undone key for taken", "append/jsonl.py",
        '        if place in dead:\n            continue\n        if isinstance(record.data.get("id"), str):',
        '        if isinstance(record.data.get("id"), str):',
        ("test_cases.py::test_case[append/jsonl-after-undo]",),
    ),
    Mutant(
        "what streamed before an edit is added to it", "session/fold.py",
        "        self.pieces.pop(message.id, None)\n        message.pending = content_of(data) or []\n",
        "        message.pending = content_of(data) or []\n",
        ("session/test_fold.py::test_sequence",),
    ),
    Mutant(
        "what a commit says besides is lost", "session/fold.py",
        "        message.fields = {**message.fields, **given}\n",
        "",
        ("session/test_fold.py::test_what_a_commit_says_besides_is_its_message_s",),
    ),
    Mutant(
        "an edit committed by its message is undone as the message", "session/fold.py",
        'done = message.update["id"] if message.committed and message.update else data["of"]',
        'done = data["of"]',
        ("session/test_fold.py::test_an_edit_that_is_committed_by_its_message_is_undone_as_an_edit",),
    ),
    Mutant(
        "a compaction hides what came after it", "session/ops.py",
        "if message is not None and message.place <= place and message.hidden is None:",
        "if message is not None and message.hidden is None:",
        ("session/test_fold.py::test_sequence",),
    ),
    Mutant(
        "a replacement holds though the part is another", "session/ops.py",
        'return part < len(own) and self.hashes[message.id, part] == op.get("block")',
        "return part < len(own)",
        ("session/test_fold.py::test_sequence",),
    ),
    Mutant(
        "an inserted message stays when the one before it goes", "session/ops.py",
        "                    child.hidden = child.hidden or message.hidden or message.id\n",
        "                    pass\n",
        ("session/test_fold.py::test_an_inserted_message_goes_with_the_one_it_stands_after",),
    ),
    Mutant(
        "messages inserted together change their order", "session/ops.py",
        "self.inserted.setdefault(after, []).extend(reversed(messages))",
        "self.inserted.setdefault(after, []).extend(messages)",
        ("session/test_fold.py::test_what_is_inserted_later_stands_nearer",),
    ),
    Mutant(
        "ops change the view that they are applied to", "session/ops.py",
        "    copy.replaced = dict(message.replaced) if message.replaced else None\n",
        "",
        ("session/test_fold.py::test_ops_leave_the_view_that_they_are_applied_to_as_it_was",),
    ),
    Mutant(
        "summaries not yet written have one id", "session/ops.py",
        "        id += NEXT\n",
        "        break\n",
        ("session/test_fold.py::test_ops_applied_after_one_another_make_summaries_of_their_own",),
    ),
    Mutant(
        "a filter prints the line of a message that was replaced", "session/ops.py",
        "            message.line = None\n",
        "            pass\n",
        ("session/test_fold.py::test_a_filter_prints_what_was_replaced_as_it_is_now",),
    ),
    Mutant(
        "an undone undo works on", "session/live.py",
        "        if id in last and before[id] >= last[id]:\n            dead.add(place)\n        elif",
        "        if id in last and before[id] >= last[id]:\n            dead.add(place)\n        if",
        ("session/test_fold.py::test_sequence",),
    ),
    Mutant(
        "a repeated undo takes back the original too", "session/live.py",
        'reach.setdefault(content(record), before[record.data["of"]])',
        'reach[content(record)] = before[record.data["of"]]',
        ("session/test_fold.py::test_a_repeated_undo_takes_back_no_more_than_it_did",),
    ),
    Mutant(
        "a thought and a text become one", "session/view.py",
        "and _plain(last) and _plain(part) and _thought(last) == _thought(part):",
        "and _plain(last) and _plain(part):",
        ("session/test_ops.py::test_neighbouring_texts_of_one_sort_become_one",),
    ),
    Mutant(
        "summaries stand by the last message that they cover", "session/view.py",
        "            first.append((min(places), summary.id))",
        "            first.append((max(places), summary.id))",
        ("session/test_fold.py::test_summaries_stand_by_the_first_that_they_cover",),
    ),
    Mutant(
        "undo takes back an error", "session/undo.py",
        'if step.type != "message" or (step.message is not None and step.message.role is not None):',
        "if step is not None:",
        ("session/test_fold.py::test_undo_leaves_errors_and_notes_aside",),
    ),
    Mutant(
        "undo of a turn leaves its prompt", "session/undo.py",
        "if step.place >= prompt.place]",
        "if step.place > prompt.place]",
        ("session/test_fold.py::test_a_turn_is_the_last_prompt_and_what_followed",),
    ),
    Mutant(
        "an undone undo can be undone", "session/undo.py",
        "for place, record in enumerate(view.log.records) if place not in view.dead)",
        "for record in view.log.records)",
        ("session/test_fold.py::test_an_undo_that_was_undone_is_none_any_more",),
    ),
    Mutant(
        "an inserted message can be undone alone", "session/view.py",
        "for m in self.all.values() if m.after is None)",
        "for m in self.all.values())",
        ("session/test_fold.py::test_an_inserted_message_goes_with_the_one_it_stands_after",),
    ),
    Mutant(
        "skimming shows parts that it has not read", "access/skim.py",
        'if rule.reach > OWN or "blockIds" in data:',
        "if rule.reach > OWN:",
        ("access/test_skim.py::test_what_needs_the_fold",),
    ),
    Mutant(
        "skimming numbers calls as they are committed", "access/skim.py",
        "        if self._tools and number != self.placed:\n",
        "        if False:\n",
        ("access/test_skim.py::test_what_needs_the_fold",),
    ),
    Mutant(
        "skimming shows a message twice", "access/skim.py",
        "        if repeated(self._ids):\n",
        "        if False:\n",
        ("access/test_skim.py::test_what_needs_the_fold",),
    ),
    Mutant(
        "from the end, an undo changes what it names alone", "session/rules.py",
        '"revert": Rule("id of", ANY, "of"),',
        '"revert": Rule("id of", NAMED, "of"),',
        ("access/test_from_end.py::test_what_needs_the_fold",),
    ),
    Mutant(
        "from the end, what a compaction hides is shown", "access/from_end.py",
        "        if message.id in self.named:\n",
        "        if False:\n",
        ("access/test_from_end.py::test_what_needs_the_fold",),
    ),
    Mutant(
        "from the end, a stream is joined backwards", "access/from_end.py",
        '*reversed(self.streamed.pop(data["id"], ()))]',
        '*self.streamed.pop(data["id"], ())]',
        ("access/test_from_end.py::test_what_is_found_from_the_end",),
    ),
    Mutant(
        "list shows the time of the message that ended last", "access/row.py",
        "        if number >= self._last:\n",
        "        if True:\n",
        ("access/test_row.py::test_odd_lines_are_counted_as_the_fold_does",),
    ),
    Mutant(
        "gc takes the deltas of a commit without content", "commands/gc/unused.py",
        'if data["of"] == of and "id" not in data and _has_content(data):',
        'if data["of"] == of and "id" not in data:',
        ("commands/test_gc.py::test_which_deltas_go",),
    ),
    Mutant(
        "verify lets a record name itself", "commands/verify/lines.py",
        "if first.get(hash(id), before) >= before:",
        "if first.get(hash(id), before + 1) > before:",
        ("commands/test_verify.py::test_lines_and_what_they_name",),
    ),
    Mutant(
        "calls of one id in a row are not told apart by name", "session/pairing.py",
        "call = same.oldest(answer.name) or same.oldest() or call",
        "call = same.oldest() or call",
        ("session/test_pairing.py::test_matching",),
    ),
    Mutant(
        "an id used again is answered where it was used first", "session/pairing.py",
        "        if first is not None and first.row == row:\n",
        "        if first is not None:\n",
        ("session/test_pairing.py::test_matching",),
    ),
    Mutant(
        "a result without an id answers the oldest row", "session/pairing.py",
        "        for calls in self.waiting():\n",
        "        for calls in self.waiting()[::-1]:\n",
        ("session/test_pairing.py::test_matching",),
    ),
    Mutant(
        "a result with an id of nobody answers a call with another", "session/pairing.py",
        "or (None if answer.id else calls.oldest(answer.name))",
        "or calls.oldest(answer.name)",
        ("session/test_pairing.py::test_matching",),
    ),
    Mutant(
        "a result is sent as that of another row", "session/pairing.py",
        "return call.number if call is not None and call.row == self.row else -1",
        "return call.number if call is not None else -1",
        ("providers/test_turns.py::test_a_result_answers_only_the_model_turns_right_before_it",),
    ),
    Mutant(
        "calls without an id are not numbered where all have texts beside them", "session/records.py",
        """                if not part["functionCall"].get("id"):
                    keys.add(IDLESS)
""",
        "",
        ("send/test_what_is_lacking.py::test_a_log_knows_its_keys",),
    ),
    Mutant(
        "what lies in blocks is taken for known", "session/records.py",
        "self.keys.isdisjoint(keys) and not self.refers",
        "self.keys.isdisjoint(keys)",
        ("send/test_what_is_lacking.py::test_of_a_log_that_names_blocks_nothing_is_known",),
    ),
    Mutant(
        "the fast lane takes an option for the value of another", "fastlane.py",
        '            if value.startswith("-") and value != "-":\n',
        '            if value == "-?":\n',
        ("test_fastlane.py",),
    ),
    Mutant(
        "the fast lane takes the last of two values", "fastlane.py",
        "    if name in given:\n        return False\n",
        "",
        ("test_fastlane.py",),
    ),
    Mutant(
        "the fast lane takes a flag twice", "fastlane.py",
        "            if name in given or takes.DEFAULTS[name]:\n",
        "            if takes.DEFAULTS[name]:\n",
        ("test_fastlane.py::test_anything_unusual_is_left_to_typer",),
    ),
    Mutant(
        "all words are worth the same", "filters/compact/worth.py",
        "else rarity(word) * log(1 + count) ** WORD_OFTEN",
        "else 0.0",
        ("filters/compact/test_summary.py::test_rare_words_come_before_common_ones",),
    ),
    Mutant(
        "no share of a budget is for the newest turns", "filters/compact/recent.py",
        "    share = max(0.0, free * SHARE)\n",
        "    share = 0.0\n",
        ("filters/compact/test_summary.py::test_the_newest_turns_take_a_third_as_they_were",),
    ),
    Mutant(
        "a summary holds no files and failures", "filters/compact/removal.py",
        "        lines += ledger(done, lambda place: place < 0 or place in here)\n",
        "",
        ("filters/compact/test_summary.py::test_the_ledger_holds_the_newest_state_of_each_file", "filters/compact/test_summary.py::test_a_later_summary_takes_the_earlier_one_in"),
    ),
    Mutant(
        "mask leaves nine exchanges alone", "filters/compact/mask.py",
        "NEWEST = 10",
        "NEWEST = 9",
        ("filters/compact/test_mask.py::test_ten_exchanges_are_left_alone",),
    ),
    Mutant(
        "mask acts in place where that gives no room to grow", "filters/compact/mask.py",
        "after <= start < before",
        "start < before",
        ("filters/compact/test_mask.py::test_in_place_it_waits_for_room_to_grow",),
    ),
    Mutant(
        "what a message costs beside its parts is spent on nothing", "filters/compact/explain.py",
        "whole - sum(costs))",
        "0)",
        ("filters/compact/test_explain.py::test_the_parts_sum_to_what_is_sent",),
    ),
    Mutant(
        "shares that are rounded do not sum up", "filters/compact/explain.py",
        "    for place in last[: total - sum(found)]:\n        found[place] += 1\n",
        "",
        ("filters/compact/test_explain.py::test_shares_are_whole_and_sum_up",),
    ),
    Mutant(
        "payload explains nothing where all is plain text", "access/plain.py",
        '    "explain", *Compaction.DEFAULTS,\n',
        "    *Compaction.DEFAULTS,\n",
        ("commands/test_compact.py::test_plain_texts_are_explained_too",),
    ),
]  # fmt: skip
