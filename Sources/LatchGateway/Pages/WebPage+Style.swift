extension WebPage {
    /// The style of every page: a phone first, then wider screens; colours by what the person chose for the whole system.
    ///
    /// Text has a contrast of 4.5 to 1 at least, borders of fields 3 to 1, and what is touched is 44 pixels high.
    ///
    /// Source: WCAG 2.2, success criteria 1.4.3, 1.4.11, 2.4.7 and 2.5.5.
    static let style: StaticString = """
        :root{color-scheme:light dark;--ground:#f4f5f7;--card:#fff;--text:#15181e;--quiet:#525966;--line:#d5d9e0;\
        --edge:#7d8491;--act:#1b5e9e;--on-act:#fff;--harm:#a8201a;--good:#17692f;--focus:#15181e}
        @media (prefers-color-scheme:dark){:root{--ground:#111318;--card:#1b1e25;--text:#e9ebf0;--quiet:#a9b0bd;\
        --line:#343944;--edge:#7e8695;--act:#8fbdf5;--on-act:#0a1c30;--harm:#ffb3ab;--good:#8ddba3;--focus:#fff}}
        *{box-sizing:border-box}
        html{-webkit-text-size-adjust:100%}
        body{margin:0;font:1.0625rem/1.5 system-ui,sans-serif;background:var(--ground);color:var(--text)}
        main{max-width:34rem;margin:0 auto;padding:1.5rem 1rem 4rem}
        main.wide{max-width:72rem}
        h1{font-size:1.625rem;line-height:1.2;margin:.5rem 0 1.25rem;overflow-wrap:anywhere}
        h2{font-size:1.25rem;line-height:1.3;margin:0 0 .75rem}
        h3{font-size:1.0625rem;line-height:1.4;margin:0;overflow-wrap:anywhere}
        p{margin:0 0 1rem}
        a{color:var(--act)}
        :focus-visible{outline:3px solid var(--focus);outline-offset:2px}
        code{overflow-wrap:anywhere}
        .quiet{color:var(--quiet);font-size:.9375rem}
        .card{background:var(--card);border:1px solid var(--line);border-radius:.75rem;padding:1.25rem 1rem;margin:0 0 1.25rem}
        .card>:last-child,.card>form:last-child>:last-child{margin-bottom:0}
        .skip{position:absolute;left:-100vw;background:var(--card);color:var(--text);padding:.75rem 1rem;z-index:1}
        .skip:focus{left:.5rem;top:.5rem}
        .top{display:flex;flex-wrap:wrap;align-items:center;gap:.25rem 1rem;padding:.5rem 1rem;background:var(--card);\
        border-bottom:1px solid var(--line)}
        .top strong{margin-right:auto;overflow-wrap:anywhere}
        .top nav,.tabs{display:flex;flex-wrap:wrap;gap:0 .25rem}
        .top nav a,.tabs a{display:inline-flex;align-items:center;min-height:2.75rem;padding:0 .625rem;color:var(--text);\
        text-decoration:none;border-bottom:3px solid transparent}
        .top nav a:hover,.tabs a:hover{text-decoration:underline}
        .top nav a[aria-current],.tabs a[aria-current]{font-weight:600;border-bottom-color:var(--act)}
        .tabs{border-bottom:1px solid var(--line);margin:0 0 1.25rem}
        label{display:block;font-weight:600;margin:0 0 .25rem}
        .field{margin:0 0 1rem}
        .hint{color:var(--quiet);font-size:.9375rem;margin:.25rem 0 0}
        .wrong{color:var(--harm);margin:.25rem 0 0}
        input,select{width:100%;font:inherit;color:var(--text);background:var(--ground);border:1px solid var(--edge);\
        border-radius:.5rem;padding:.5rem .75rem;min-height:2.75rem}
        [aria-invalid=true]{border:2px solid var(--harm)}
        input[type=checkbox]{width:1.25rem;height:1.25rem;min-height:0;flex:none;accent-color:var(--act)}
        label.check{display:flex;gap:.625rem;align-items:center;min-height:2.75rem;margin:0;font-weight:400}
        fieldset{border:1px solid var(--line);border-radius:.5rem;margin:1.25rem 0 0;padding:.75rem}
        fieldset label{margin-top:.5rem}
        button,.button{display:inline-flex;align-items:center;justify-content:center;font:inherit;font-weight:600;cursor:pointer;\
        min-height:2.75rem;padding:.5rem 1.125rem;border:1px solid var(--act);border-radius:.5rem;background:var(--act);\
        color:var(--on-act);text-decoration:none;text-align:center}
        .block{width:100%;margin:0 0 .75rem}
        .other{background:transparent;color:var(--act)}
        .harm{background:transparent;color:var(--harm);border-color:var(--harm)}
        .plain{background:transparent;color:var(--text);border-color:transparent;padding:0 .625rem;font-weight:400}
        button:hover,.button:hover{filter:brightness(.92)}
        .row{display:flex;flex-wrap:wrap;gap:.75rem;align-items:end}
        .row .field{flex:1 1 12rem;margin:0}
        .note{border-left:4px solid var(--good);background:var(--card);padding:.75rem 1rem;margin:0 0 1.25rem}
        [role=alert]{border-left:4px solid var(--harm);background:var(--card);padding:.75rem 1rem;margin:0 0 1.25rem}
        [role=alert] p:last-child,.note p:last-child{margin:0}
        .or{display:flex;align-items:center;gap:.75rem;color:var(--quiet);margin:1.25rem 0}
        .or::before,.or::after{content:"";flex:1;border-top:1px solid var(--line)}
        .list{list-style:none;margin:0;padding:0}
        .list>li{padding:1rem 0;border-top:1px solid var(--line)}
        .list>li:first-child{border-top:0;padding-top:0}
        .list form{margin-top:.75rem}
        .badge{display:inline-block;border:1px solid currentColor;border-radius:1rem;padding:0 .625rem;font-size:.875rem;\
        font-weight:600;color:var(--good);white-space:nowrap}
        .badge.off{color:var(--harm)}
        .badge.plainly{color:var(--quiet)}
        dl{display:grid;grid-template-columns:minmax(6.5rem,auto) 1fr;gap:.125rem .75rem;margin:.25rem 0 0}
        dt{color:var(--quiet)}
        dd{margin:0;overflow-wrap:anywhere}
        table{width:100%;border-collapse:collapse;background:var(--card);border:1px solid var(--line);margin:0 0 1.25rem}
        caption{text-align:left;color:var(--quiet);padding:0 0 .5rem}
        th,td{text-align:left;padding:.625rem .75rem;border-top:1px solid var(--line);overflow-wrap:break-word;vertical-align:top}
        td button{white-space:nowrap}
        th{font-size:.9375rem;color:var(--quiet)}
        td a{display:inline-block;min-height:1.75rem}
        .apart{border-top:1px solid var(--line);margin-top:1.25rem;padding-top:1rem}
        .pages{display:flex;flex-wrap:wrap;gap:.75rem;justify-content:space-between;align-items:center}
        @media (max-width:44rem){
        table,caption,tbody,tr,td{display:block;width:100%}
        td>div{min-width:0;overflow-wrap:anywhere}
        .top{padding:.5rem 1rem 0;gap:0 .25rem}
        .top strong{flex:1 0 100%}
        .top nav{margin-right:auto}
        .top nav a,.tabs a,.top .plain{padding:0 .5rem}
        .top nav a:first-child,.tabs a:first-child{padding-left:0}
        .top nav,.top .plain,.tabs{font-size:.9375rem}
        .tabs{gap:0}
        thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
        table{border:0;background:transparent}
        tr{background:var(--card);border:1px solid var(--line);border-radius:.75rem;padding:.5rem 1rem;margin:0 0 .75rem}
        td{border:0;padding:.25rem 0;display:grid;grid-template-columns:7rem 1fr;gap:.75rem}
        td::before{content:attr(data-label);color:var(--quiet)}
        }
        @media (min-width:44.01rem){main{padding-top:2.5rem}.card{padding:1.5rem}.list>li{display:grid;\
        grid-template-columns:1fr auto;gap:0 1rem;align-items:center}.list form{margin:0}}
        @media (prefers-reduced-motion:no-preference){.button,button{transition:filter .1s}}
        """
}
