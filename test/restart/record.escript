#!/usr/bin/env escript
%% Records what a real Erlang/OTP supervisor does, for every strategy, restart kind and exit reason, as JSON on stdout:
%%   escript test/restart/record.escript > test/restart/otp.json
%% Three children a, b, c stand under a supervisor; b is the one that ends. Those around it are permanent.
-mode(compile).
-export([init/1, handle_call/3, handle_cast/2, handle_info/2, terminate/2, code_change/3]).

main(_) ->
    Rows = [row(Strategy, Restart, Reason) || Strategy <- [one_for_one, one_for_all, rest_for_one],
                                              Restart <- [permanent, transient, temporary],
                                              Reason <- [normal, shutdown, {shutdown, why}, killed, error]],
    Neighbours = [row_neighbours(Strategy, Other) || Strategy <- [one_for_all, rest_for_one], Other <- [transient, temporary]],
    Limits = [limit_row(Max, Crashes) || Max <- [0, 1, 3], Crashes <- lists:seq(1, Max + 2)],
    io:format("{\"otp\": \"~s\",~n\"rows\": [~n~s~n],~n\"neighbours\": [~n~s~n],~n\"limits\": [~n~s~n]}~n",
              [erlang:system_info(otp_release), join(Rows), join(Neighbours), join(Limits)]).

join(Rows) -> lists:join(",\n", Rows).

%% One child ends; what became of all three, and what happened in which order.
row(Strategy, Restart, Reason) ->
    Children = [child(a, permanent), child(b, Restart), child(c, permanent)],
    {Fates, Events, Alive} = scenario(Strategy, 3, Children, fun(Sup) -> end_child(Sup, b, Reason) end),
    io_lib:format("{\"strategy\": \"~s\", \"restart\": \"~s\", \"reason\": \"~s\", \"fates\": {~s}, \"events\": [~s], \"supervisor\": \"~s\"}",
                  [dash(Strategy), Restart, name(Reason), fates(Fates), events(Events), Alive]).

%% A permanent child crashes beside ones of another kind.
row_neighbours(Strategy, Other) ->
    Children = [child(a, Other), child(b, permanent), child(c, Other)],
    {Fates, Events, Alive} = scenario(Strategy, 3, Children, fun(Sup) -> end_child(Sup, b, error) end),
    io_lib:format("{\"strategy\": \"~s\", \"others\": \"~s\", \"fates\": {~s}, \"events\": [~s], \"supervisor\": \"~s\"}",
                  [dash(Strategy), Other, fates(Fates), events(Events), Alive]).

%% So many crashes in a row against so many that are allowed.
limit_row(Max, Crashes) ->
    Children = [child(a, permanent)],
    {_, _, Alive} = scenario(one_for_one, Max, Children, fun(Sup) ->
        [begin end_child(Sup, a, error), settle(Sup) end || _ <- lists:seq(1, Crashes)]
    end),
    io_lib:format("{\"restartsMax\": ~b, \"crashes\": ~b, \"supervisor\": \"~s\"}", [Max, Crashes, Alive]).

scenario(Strategy, Max, Children, Act) ->
    error_logger:tty(false),
    logger:set_primary_config(level, none),
    process_flag(trap_exit, true),
    Log = spawn_link(fun() -> log([]) end),
    register(event_log, Log),
    {ok, Sup} = supervisor_bridge_start(Strategy, Max, Children),
    Before = [{Id, pid_of(Sup, Id)} || #{id := Id} <- Children],
    Log ! forget,
    Act(Sup),
    settle(Sup),
    Alive = is_process_alive(Sup),
    Fates = [{Id, fate(Alive, Sup, Id, Pid)} || {Id, Pid} <- Before],
    Log ! {take, self()},
    Events = receive {events, E} -> E end,
    unlink(Sup), exit(Sup, kill),
    unregister(event_log), unlink(Log), exit(Log, kill),
    flush(),
    {Fates, Events, case Alive of true -> alive; false -> gone end}.

supervisor_bridge_start(Strategy, Max, Children) ->
    supervisor:start_link(?MODULE, {sup, #{strategy => Strategy, intensity => Max, period => 5}, Children}).

init({sup, Flags, Children}) -> {ok, {Flags, Children}};
init({child, Id}) -> process_flag(trap_exit, true), event_log ! {started, Id}, {ok, Id}.

child(Id, Restart) ->
    #{id => Id, start => {gen_server, start_link, [?MODULE, {child, Id}, []]}, restart => Restart, shutdown => 1000}.

handle_call({stop, Reason}, _From, Id) -> {stop, Reason, ok, Id};
handle_call(crash, _From, _Id) -> erlang:error(crash).
handle_cast(_, Id) -> {noreply, Id}.
handle_info(_, Id) -> {noreply, Id}.
terminate(_Reason, Id) -> catch (event_log ! {stopped, Id}), ok.
code_change(_, Id, _) -> {ok, Id}.

end_child(Sup, Id, Reason) ->
    Pid = pid_of(Sup, Id),
    Ref = monitor(process, Pid),
    case Reason of
        killed -> exit(Pid, kill);
        error -> catch gen_server:call(Pid, crash);
        _ -> catch gen_server:call(Pid, {stop, Reason})
    end,
    receive {'DOWN', Ref, _, _, _} -> ok after 1000 -> ok end.

%% Until the supervisor has dealt with what came before.
settle(Sup) ->
    case is_process_alive(Sup) of
        true -> catch supervisor:count_children(Sup), timer:sleep(20), catch supervisor:count_children(Sup);
        false -> ok
    end,
    timer:sleep(20).

pid_of(Sup, Id) ->
    case catch supervisor:which_children(Sup) of
        List when is_list(List) -> case lists:keyfind(Id, 1, List) of {_, Pid, _, _} -> Pid; false -> none end;
        _ -> none
    end.

fate(false, _, _, _) -> gone;
fate(true, Sup, Id, Before) ->
    case pid_of(Sup, Id) of
        Before -> same;
        none -> forgotten;
        undefined -> stopped;
        _ -> restarted
    end.

log(Events) ->
    receive
        forget -> log([]);
        {take, To} -> To ! {events, lists:reverse(Events)}, log(Events);
        Event -> log([Event | Events])
    end.

flush() -> receive _ -> flush() after 0 -> ok end.

fates(Fates) -> lists:join(", ", [io_lib:format("\"~s\": \"~s\"", [Id, Fate]) || {Id, Fate} <- Fates]).
events(Events) -> lists:join(", ", [io_lib:format("\"~s ~s\"", [What, Id]) || {What, Id} <- Events]).
dash(Atom) -> lists:map(fun($_) -> $-; (C) -> C end, atom_to_list(Atom)).
name({shutdown, _}) -> "shutdown-with";
name(Atom) -> atom_to_list(Atom).
