;; Emacs opens an example by the recipe of tools/editors, waits for the findings, applies a fix and prints both.
(setq package-user-dir (expand-file-name "elpa"))
(package-initialize) ; as before init.el
(load (expand-file-name "tools/editors/emacs.el" (getenv "REPO")) nil t)

(defun wait-until (holds or-else)
  (let ((end (+ (float-time) 20)))
    (while (not (funcall holds))
      (when (> (float-time) end)
        (princ (format "FAILED %s\n" or-else))
        (kill-emacs 1))
      (accept-process-output nil 0.05))))

(find-file "before.yaml")
(run-hooks 'post-command-hook) ; eglot-ensure waits for the end of a command
(wait-until #'flymake-diagnostics "no findings in 20 s")
(dolist (finding (flymake-diagnostics))
  (save-excursion
    (goto-char (flymake-diagnostic-beg finding))
    (let ((text (car (split-string (flymake-diagnostic-text finding) "\n"))))
      (string-match "\\[\\(APF[0-9]+\\)\\]: \\(.*\\)" text)
      (princ (format "%d:%d: %s %s\n" (line-number-at-pos) (1+ (- (point) (line-beginning-position)))
                     (match-string 1 text) (match-string 2 text))))))

(goto-char (point-min))
(re-search-forward "name: \\(tenant\\)$")
(goto-char (match-beginning 1))
(let ((last-nonmenu-event ?\r) ; by the keyboard: no menu
      (completing-read-function
       (lambda (_ titles &rest _)
         (dolist (title titles) (princ (format "action %s\n" (if (consp title) (car title) title))))
         (if (consp (car titles)) (caar titles) (car titles)))))
  (eglot-code-actions (match-beginning 1) (match-end 1) nil t))
(princ (buffer-substring (line-beginning-position) (line-end-position)))
(terpri)
(save-buffer) ; a change is sent when Emacs is idle, which it never is here, or before it is saved
(wait-until (lambda () (not (seq-find (lambda (d) (string-search "APF101" (flymake-diagnostic-text d))) (flymake-diagnostics))))
            "the finding stays after its fix")
