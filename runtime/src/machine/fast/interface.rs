//! The machine's interface: see [`crate::machine::Machine`].

use std::sync::Arc;

use super::code::instr::{Dst, Op};
use super::code::program::ArgsId;
use super::stack::{Control, SLACK};
use super::state::Machine;
use crate::base::float::Float;
use crate::base::integer::Integer;
use crate::base::span::Span;
use crate::base::stack::ensure_sufficient_stack;
use crate::gcode::Verified;
use crate::gcode::link::{Addition, LinkError, Linked};
use crate::gcode::program::{CONS, ConId, GlobalId, HostId, NIL};
use crate::machine::costs::Costs;
use crate::machine::events::Probe;
use crate::machine::failure::{FOREIGN, Failure};
use crate::machine::heap::array::array_need;
use crate::machine::heap::bytes::bytes_need;
use crate::machine::heap::word::{View, Word};
use crate::machine::heap::{Fields, Kind, integer_words, node_words};
use crate::machine::host::{HOST_DEPTH, HostFailure, Hosts};
use crate::machine::opaque::{OPAQUE, Opaque};
use crate::machine::outcome::{Input, Output, Statistics, Stop};
use crate::machine::print::{Format, Printer};
use crate::machine::profile::Profile;
use crate::machine::system::{Outside, System};
use crate::machine::world::Mode;
use crate::machine::{self, Coverage, Handle, Interrupt, Pauses, Whnf};

impl Machine {
    /// Evaluates a word to weak head normal form, above what is under way. It is asked for
    /// after the room for that was made. What actions write goes to `out`; without one it is held
    /// back.
    ///
    /// # Errors
    /// When the evaluation stops; what it was evaluating is suspended.
    pub(super) fn evaluate(
        &mut self,
        word: impl Fn(&Machine) -> Option<Word>,
        out: Option<&mut dyn Output>,
    ) -> Result<(), Stop> {
        if word(self).is_none_or(Word::is_evaluated) {
            return Ok(());
        }
        let (at, base) = (self.at(), self.top());
        self.stack_check(base as usize + SLACK)?;
        let Some(word) = word(self) else { return Ok(()) };
        // SAFETY: room was made.
        self.fp.0 = unsafe { Control::Stop { at, base }.push(self.fp.0.add(base as usize)) };
        self.set_slot(0, word);
        self.pc.0 = self.instr(self.mutator.image.enter);
        let could_write = std::mem::replace(&mut self.can_write, out.is_some());
        let result = self.go_on(out);
        self.can_write = could_write;
        match result {
            Ok(()) => self.pc.0 = self.instr(at),
            Err(_) => self.freeze(),
        }
        result
    }

    fn handle(&self, handle: &Handle) -> Option<Word> {
        self.mutator.handles.get(handle)
    }

    fn known(&self, handles: &[Handle]) -> Option<()> {
        handles.iter().all(|handle| self.handle(handle).is_some()).then_some(())
    }

    fn words<'a>(&'a self, handles: &'a [Handle]) -> impl DoubleEndedIterator<Item = Word> + 'a {
        handles.iter().filter_map(|handle| self.handle(handle))
    }

    /// Makes sure of room, then a handle on what `make` makes.
    fn rooted(
        &mut self,
        words: usize,
        make: impl FnOnce(&mut Machine) -> Word,
    ) -> Result<Handle, Stop> {
        self.reserve(words)?;
        let word = make(self);
        Ok(self.mutator.handle(word))
    }

    /// Calls a function of the embedding program.
    pub(super) fn call_host(&mut self, d: Dst, host: HostId, args: ArgsId) -> Result<(), Stop> {
        let entry = self.mutator.image.program.gcode.hosts.get(host);
        let name = entry.map_or("?".into(), |host| host.name.clone());
        let Some(hosts) = self.hosts.clone() else {
            return Err(self.fail(Failure::host_missing(&name)));
        };
        let words: Vec<Word> = self.args(args).collect();
        let handles: Vec<Handle> =
            words.into_iter().map(|word| self.mutator.handle(word)).collect();
        self.nesting += 1;
        let result = ensure_sufficient_stack(|| hosts.call(self, host, &handles));
        self.nesting -= 1;
        let failed = |why: &str| self.fail(Failure::host_failed(&name, why));
        let value = match result {
            Ok(handle) => self.handle(&handle),
            Err(HostFailure::Stopped(stop)) => return Err(stop),
            Err(HostFailure::Failed(why)) => return Err(failed(&why)),
        };
        let Some(value) = value else {
            return Err(failed(FOREIGN));
        };
        self.set_slot(d.0, value);
        self.advance();
        Ok(())
    }

    /// Returns why a program cannot be started, if it cannot.
    fn cannot_start(&self) -> Option<Stop> {
        let main =
            self.mutator.image.program.gcode.main.and_then(|main| self.mutator.image.global(main));
        match main {
            None => Some(self.fail(Failure::missing_main())),
            Some(main) if main.arity > 1 => Some(self.fail(Failure::main_parameters())),
            Some(_) => None,
        }
    }
}

impl machine::Machine for Machine {
    fn start(&mut self, format: Format, input: Option<Box<dyn Input>>) -> Result<(), Stop> {
        self.abandon();
        if let Some(stop) = self.cannot_start() {
            return Err(stop);
        }
        let word = match (self.mutator.image.start, self.mutator.image.program.gcode.main) {
            (Some(start), _) => {
                self.reserve(4)?;
                // SAFETY: there is room.
                unsafe {
                    let input = self.heap.alloc(Kind::Input, 0, &[Word::ZERO]);
                    self.heap.alloc(Kind::Thunk, start.0, &[input])
                }
            }
            (None, main) => self.caf(main.unwrap_or(GlobalId(0)))?,
        };
        (self.input, self.input_failure) = (input, None);
        self.world.start(self.mutator.image.start.is_some());
        self.mode = Mode::Main;
        self.mutator.printing.push(word);
        self.printer = Some(Printer::new(format));
        Ok(())
    }

    fn run(&mut self, out: &mut dyn Output) -> Result<(), Stop> {
        match self.print_all(out) {
            Ok(()) => {
                self.end_line(out, false)?;
                self.abandon();
                Ok(())
            }
            Err(stop @ Stop::Output(_)) => Err(stop),
            // The first reason is the one to report.
            Err(stop) => self.end_line(out, true).map_or(Err(stop.clone()), |()| Err(stop)),
        }
    }

    fn start_action(
        &mut self,
        root: &Handle,
        input: Option<Box<dyn Input>>,
    ) -> Option<Result<(), Stop>> {
        let word = self.handle(root)?;
        if self.nesting > 0 {
            return None;
        }
        self.abandon();
        (self.input, self.input_failure) = (input, None);
        self.world.start_action();
        self.mode = Mode::Perform;
        self.value = None;
        self.mutator.printing.push(word);
        self.printer = Some(Printer::new(Format::Default));
        Some(Ok(()))
    }

    fn take_value(&mut self) -> Option<Handle> {
        self.value.take()
    }

    fn set_arguments(&mut self, arguments: Vec<String>) {
        self.world.arguments = arguments;
    }

    fn set_system(&mut self, system: Box<dyn System>) {
        self.world.system = Outside::new(system);
    }

    fn abandon(&mut self) {
        self.mutator.printing = Vec::new();
        self.printer = None;
        self.mode = Mode::Print;
        self.world.answer = None;
        if self.nesting == 0 {
            self.reset();
        }
    }

    fn print_root(
        &mut self,
        handle: &Handle,
        format: Format,
        out: &mut dyn Output,
    ) -> Option<Result<(), Stop>> {
        let word = self.handle(handle)?;
        if self.nesting > 0 {
            return None;
        }
        self.abandon();
        self.mutator.printing.push(word);
        self.printer = Some(Printer::new(format));
        let result = self.run(out);
        if result.is_err() {
            self.abandon();
        }
        Some(result)
    }

    fn force(&mut self, handle: &Handle) -> Option<Result<(), Stop>> {
        self.handle(handle)?;
        if self.nesting == 0 {
            self.abandon();
        }
        if self.nesting > HOST_DEPTH {
            return Some(Err(self.fail(Failure::host_depth())));
        }
        let word = |machine: &Machine| {
            // SAFETY: it is a word of the heap.
            machine.handle(handle).map(|word| unsafe { machine.heap.resolve(word) })
        };
        Some(self.evaluate(word, None))
    }

    fn owns(&self, handle: &Handle) -> bool {
        self.handle(handle).is_some()
    }

    fn whnf(&mut self, handle: &Handle) -> Option<Whnf> {
        // SAFETY: it is a word of the heap.
        let word = unsafe { self.heap.resolve(self.handle(handle)?) };
        if let Some(opaque) = self.as_opaque(word) {
            return Some(Whnf::Opaque(opaque.clone()));
        }
        if let Some((con, fields)) = self.as_con(word) {
            let fields = fields.into_iter().map(|field| self.mutator.handle(field)).collect();
            return Some(Whnf::Con(con, fields));
        }
        if let Some(big) = self.as_big(word) {
            return Some(Whnf::Int(big.into_owned()));
        }
        if let Some(value) = self.float(word) {
            return Some(Whnf::Float(Float::new(value)));
        }
        if let Some(elements) = self.elements(word).map(<[Word]>::to_vec) {
            let roots = elements.into_iter().map(|element| self.mutator.handle(element)).collect();
            return Some(Whnf::Array(roots));
        }
        if let Some(bytes) = self.bytes(word) {
            return Some(Whnf::Bytes(bytes.into()));
        }
        match word.view() {
            View::Int(small) => Some(Whnf::Int(Integer::Small(small))),
            View::Char(c) => Some(Whnf::Char(c)),
            _ => {
                let (global, arguments) = self.function(word)?;
                let arity = self.mutator.image.global(global)?.arity;
                Some(Whnf::Function(global, arity - arguments as u32))
            }
        }
    }

    fn origin(&self, handle: &Handle) -> Span {
        let Some(word) = self.handle(handle) else { return Span::NONE };
        // SAFETY: it is a word of the heap.
        let word = unsafe { self.heap.resolve(word) };
        if !matches!(word.view(), View::Node(_)) {
            return Span::NONE;
        }
        // SAFETY: it leads to a node.
        let kind = unsafe { self.heap.header(word) }.kind();
        if kind == Kind::Thunk { self.thunk_span(word) } else { Span::NONE }
    }

    fn global_handle(&mut self, global: GlobalId) -> Result<Handle, Stop> {
        let word = self.caf(global)?;
        Ok(self.mutator.handle(word))
    }

    fn new_int(&mut self, value: Integer) -> Result<Handle, Stop> {
        let (words, bytes) = (integer_words(&value), value.heap_bytes() as u64);
        if !self.heap.can_grow(bytes) {
            self.collect_for_bytes(words, bytes)?;
        }
        // SAFETY: room is made sure of.
        self.rooted(words, |machine| unsafe { machine.heap.int(value) })
    }

    fn new_float(&mut self, value: Float) -> Result<Handle, Stop> {
        // SAFETY: room is made sure of.
        self.rooted(2, |machine| unsafe { machine.heap.float(value) })
    }

    fn new_char(&mut self, value: char) -> Result<Handle, Stop> {
        Ok(self.mutator.handle(Word::char(value)))
    }

    fn new_text(&mut self, text: &str) -> Result<Handle, Stop> {
        // Cell by cell: a text may be larger than the nursery. The list so far has a handle.
        let mut list = self.mutator.handle(Word::con(NIL));
        for c in text.chars().rev() {
            list = self.rooted(node_words(2), |machine| {
                let tail = machine.handle(&list).unwrap_or(Word::con(NIL));
                // SAFETY: room is made sure of.
                unsafe { machine.heap.alloc(Kind::Con, CONS.0, &[Word::char(c), tail]) }
            })?;
        }
        Ok(list)
    }

    fn new_con(&mut self, con: ConId, fields: &[Handle]) -> Option<Result<Handle, Stop>> {
        if self.mutator.image.program.gcode.cons.get(con)?.arity as usize != fields.len() {
            return None;
        }
        self.known(fields)?;
        Some(self.rooted(node_words(fields.len()), |machine| {
            let fields: Vec<Word> = machine.words(fields).collect();
            match Fields::new(&fields) {
                Some(fields) if !fields.words().is_empty() => {
                    // SAFETY: room is made sure of.
                    unsafe { machine.heap.alloc(Kind::Con, con.0, fields) }
                }
                _ => Word::con(con),
            }
        }))
    }

    fn new_opaque(&mut self, value: Opaque) -> Result<Handle, Stop> {
        self.reserve(node_words(1))?;
        let number = self.mutator.opaques.next();
        let field = Word::int(number.into()).unwrap_or(Word::ZERO);
        // SAFETY: room was made sure of.
        let word = unsafe { self.heap.alloc(Kind::Con, OPAQUE.0, &[field]) };
        self.mutator.opaques.add(word, value);
        self.mutator.young_opaques.push(number);
        self.count_outside();
        Ok(self.mutator.handle(word))
    }

    fn new_list(&mut self, items: &[Handle]) -> Option<Result<Handle, Stop>> {
        self.known(items)?;
        let mut list = self.mutator.handle(Word::con(NIL));
        for item in items.iter().rev() {
            let longer = self.rooted(node_words(2), |machine| {
                let tail = machine.handle(&list).unwrap_or(Word::con(NIL));
                let head = machine.handle(item).unwrap_or(Word::ZERO);
                // SAFETY: room is made sure of.
                unsafe { machine.heap.alloc(Kind::Con, CONS.0, &[head, tail]) }
            });
            match longer {
                Ok(longer) => list = longer,
                Err(stop) => return Some(Err(stop)),
            }
        }
        Some(Ok(list))
    }

    fn new_array(&mut self, elements: &[Handle]) -> Option<Result<Handle, Stop>> {
        self.known(elements)?;
        let made = self.room_for(array_need(elements.len())).and_then(|_| {
            // SAFETY: room was made sure of, and integers are words of every heap.
            let array = unsafe { self.heap.new_array(elements.len(), Word::ZERO) };
            array.map_err(|full| self.out_of_memory(full))
        });
        let array = match made {
            Ok(array) => array,
            Err(stop) => return Some(Err(stop)),
        };
        for (at, element) in elements.iter().enumerate() {
            let word = self.handle(element).unwrap_or(Word::ZERO);
            // SAFETY: the array has so many elements.
            unsafe { self.heap.write_element(array, at, word) };
        }
        Some(Ok(self.mutator.handle(array)))
    }

    fn new_bytes(&mut self, bytes: &[u8]) -> Result<Handle, Stop> {
        self.room_for(bytes_need(bytes.len()))?;
        // SAFETY: room was made sure of.
        let made = unsafe { self.heap.new_bytes(bytes.len(), |to| to.copy_from_slice(bytes)) };
        let word = made.map_err(|full| self.out_of_memory(full))?;
        Ok(self.mutator.handle(word))
    }

    fn apply(&mut self, function: &Handle, args: &[Handle]) -> Option<Result<Handle, Stop>> {
        self.handle(function)?;
        self.known(args)?;
        let apply = self.mutator.image.apply;
        let mut result = function.clone();
        for arg in args {
            let applied = self.rooted(node_words(2), |machine| {
                let function = machine.handle(&result).unwrap_or(Word::ZERO);
                let arg = machine.handle(arg).unwrap_or(Word::ZERO);
                machine.counts.thunks_made += 1;
                // SAFETY: room is made sure of.
                unsafe { machine.heap.alloc(Kind::Thunk, apply.0, &[function, arg]) }
            });
            match applied {
                Ok(applied) => result = applied,
                Err(stop) => return Some(Err(stop)),
            }
        }
        Some(Ok(result))
    }

    fn program(&self) -> &Verified {
        &self.mutator.image.program.gcode
    }

    fn extend(&mut self, addition: Addition) -> Result<Linked, LinkError> {
        if self.nesting > 0 {
            return Err(LinkError::Running);
        }
        self.abandon();
        // Nothing else has the image while nothing runs, unless other machines run the program.
        #[cfg(gmachine_native)]
        self.forget_native();
        let image = Arc::make_mut(&mut self.mutator.image);
        let thunks = image.program.thunks.len();
        let result = image.extend(addition);
        let rows = image.program.thunks.since(thunks).iter();
        self.heap.add_selectors(rows.map(|thunk| &*thunk.selects));
        self.mutator.cafs.resize(image.program.globals.len(), Word::NOTHING);
        // The code may have moved.
        self.reset();
        result
    }

    fn set_hosts(&mut self, hosts: Arc<dyn Hosts>) {
        self.hosts = Some(hosts);
    }

    fn set_fuel(&mut self, fuel: Option<u64>) {
        self.give_fuel(fuel);
    }

    fn set_heap_limit(&mut self, limit: Option<u64>) {
        self.heap.set_limit(limit);
    }

    fn interrupt_handle(&self) -> Interrupt {
        self.interrupt.clone()
    }

    fn collect(&mut self) {
        // There is always room for nothing more.
        let _ = self.collect_all();
        if let Some(mut listener) = self.listener.take() {
            listener.look(self);
            self.listener = Some(listener);
        }
    }

    fn listen(&mut self, probe: Box<dyn Probe + Send>) -> bool {
        self.listen_with(probe);
        true
    }

    fn footprint(&self) -> u64 {
        self.heap.footprint()
    }

    fn profile(&self) -> Option<&Profile> {
        self.profile.as_ref().map(|(_, profile)| profile)
    }

    fn costs(&self) -> Option<Costs> {
        self.report_costs()
    }

    fn pauses(&self) -> Option<&Pauses> {
        self.clock.is_some().then_some(&self.pauses)
    }

    fn coverage(&self) -> Coverage {
        let executed = Op::ALL.iter().map(|op| op.name()).zip(self.executed.iter().copied());
        let heap = self.heap.counters();
        let events = [
            ("minor collections", heap.minor),
            ("full collections", heap.full),
            ("words that stayed young", heap.words_survived),
            ("words promoted", heap.words_promoted),
            ("words moved", heap.words_moved),
            ("nodes remembered", heap.remembered),
            ("large nodes", heap.large),
            ("selections reduced", heap.selections),
            ("indirections passed", heap.indirections),
            ("big integers dropped", heap.bigs_dropped),
            ("rescans", heap.rescans),
            ("CAFs collected", self.mutator.cafs_collected),
            ("stack growths", self.rare.stack_grown),
            ("thunks suspended", self.rare.suspended),
            ("thunks resumed", self.rare.resumed),
        ];
        Coverage { instructions: executed.collect(), events: events.into() }
    }

    fn statistics(&self) -> Statistics {
        let counters = self.heap.counters();
        Statistics {
            reductions: self.counts.reductions + u64::from(self.spent()) - self.printed,
            allocated_bytes: counters.words_allocated * 8 + counters.big_bytes_allocated,
            collections: counters.minor + counters.full,
            peak_live_bytes: counters.peak_live_bytes,
            ..self.counts
        }
    }
}
